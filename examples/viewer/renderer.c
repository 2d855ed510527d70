/* SPDX-License-Identifier: MIT */
/* A picture in three steps: the cut (compute: draws -> pages -> clusters -> indices), the meshes (one indirect draw for
 * one-sided clusters, one for two-sided), the composite (sky, water, haze over the mesh picture).
 *
 * The cut's counters are read back before the meshes are drawn, so that a buffer that was too small can grow and no picture
 * misses a cluster. A game would not wait: it would size the buffers generously and read the counters a frame later. */
#include "renderer.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "offscreen_context.h"

/* Binding numbers of scene_buffers.glsl and cut_buffers.glsl. */
enum {
    BUFFER_VERTEX_ARENA,
    BUFFER_CLUSTER_ARENA,
    BUFFER_PAGES,
    BUFFER_DRAWS,
    BUFFER_MODELS,
    BUFFER_CUT,
    BUFFER_PAGE_PAIRS,
    BUFFER_VISIBLE,
    BUFFER_INDICES,
    BUFFER_COUNT
};

enum { PROGRAM_CUT_DRAWS, PROGRAM_CUT_CLUSTERS, PROGRAM_CUT_INDICES, PROGRAM_MESH, PROGRAM_COMPOSITE, PROGRAM_COUNT };

enum { TIME_START, TIME_CUT, TIME_MESH, TIME_END, TIME_COUNT };

#define MODEL_LIMIT 65536u
#define GROUP_LIMIT 1024u /* workgroups of a pass; they stride over what there is to do */
#define FIRST_CLUSTERS 4096u
#define FIRST_INDICES (FIRST_CLUSTERS * 256u)

/* Uniform block Frame, std140. */
struct frame_block {
    float view[16];
    float projection[16];
    float eye_to_world[16];
    float planes[5][4];
    float render_origin[4];
    float light[4];
    float tangent[2];
    float viewport[2];
    float near_plane;
    float haze_distance;
    float water_height;
    uint32_t mode;
    uint32_t draw_count;
    uint32_t cull;
    uint32_t water;
    uint32_t page_pair_capacity;
    uint32_t cluster_capacity;
    uint32_t index_capacity;
    uint32_t unused[2];
};
_Static_assert(sizeof(struct frame_block) == 368, "std140 layout of Frame");

struct draw_command {
    uint32_t count;
    uint32_t instance_count;
    uint32_t first_index;
    int32_t base_vertex;
    uint32_t base_instance;
};

/* Buffer Cut. */
struct cut_block {
    struct draw_command one_sided;
    struct draw_command two_sided;
    uint32_t page_pair_count;
    uint32_t draws_seen;
    uint32_t clusters_wanted;
    uint32_t indices_wanted;
};

_Static_assert(sizeof(trn_draw) == 128, "std430 layout of Draw");
_Static_assert(sizeof(renderer_model) == 32, "std430 layout of Model");
_Static_assert(sizeof(renderer_visible_cluster) == 16, "std430 layout of VisibleCluster");

struct renderer {
    offscreen_context gl;
    char device[128];
    uint64_t block_limit; /* bytes that a shader may see of one buffer */
    uint32_t width, height, supersample;

    GLuint programs[PROGRAM_COUNT];
    GLuint buffers[BUFFER_COUNT];
    uint64_t buffer_bytes[BUFFER_COUNT];
    GLuint frame_buffer_object; /* uniform block Frame */
    GLuint vertex_array;
    GLuint times[TIME_COUNT];

    GLuint radiance, depth, display, output; /* textures; output is display averaged down, or display itself */
    GLuint scene_target, display_target, output_target;

    uint32_t draw_count;
    uint64_t page_pair_capacity;
    uint32_t cluster_capacity, index_capacity;
    float near_plane;
    uint32_t visible_count;
};

/* ---- Programs ---------------------------------------------------------------------------------------------------- */

struct source {
    const char *name;
    const char *text;
};

#define SOURCE_MAX 6

/* Every shader begins with what C shares; `sources` ends with a NULL name. */
static GLuint compile(GLenum stage, const struct source *sources, char error[RENDERER_ERROR_BYTES]) {
    const char *texts[2 * SOURCE_MAX + 1] = {"#version 450 core\n"};
    char lines[SOURCE_MAX][24];
    GLsizei count = 1;
    int last = 0;
    for (int i = 0; sources[i].name != NULL; i++) {
        snprintf(lines[i], sizeof lines[i], "#line 1 %d\n", i);
        texts[count++] = lines[i];
        texts[count++] = sources[i].text;
        last = i;
    }
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, count, texts, NULL);
    glCompileShader(shader);
    GLint compiled = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) return shader;
    char text[400] = "";
    glGetShaderInfoLog(shader, sizeof text, NULL, text);
    snprintf(error, RENDERER_ERROR_BYTES, "%s does not compile (numbered from 0 = %s): %s", sources[last].name,
             sources[0].name, text);
    glDeleteShader(shader);
    return 0;
}

static GLuint link(const GLuint *shaders, int count, const char *name, char error[RENDERER_ERROR_BYTES]) {
    GLuint program = glCreateProgram();
    bool complete = true;
    for (int i = 0; i < count; i++) {
        complete = complete && shaders[i] != 0;
        if (shaders[i] != 0) glAttachShader(program, shaders[i]);
    }
    GLint linked = 0;
    if (complete) {
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &linked);
        if (!linked) {
            char text[400] = "";
            glGetProgramInfoLog(program, sizeof text, NULL, text);
            snprintf(error, RENDERER_ERROR_BYTES, "%s does not link: %s", name, text);
        }
    }
    for (int i = 0; i < count; i++)
        if (shaders[i] != 0) glDeleteShader(shaders[i]);
    if (linked) return program;
    glDeleteProgram(program);
    return 0;
}

static bool make_programs(renderer *r, char error[RENDERER_ERROR_BYTES]) {
    const struct source shared = {"terrane_shared.h", embedded_terrane_shared_h};
    const struct source buffers = {"scene_buffers.glsl", embedded_scene_buffers_glsl};
    const struct source unpack = {"terrane.glsl", embedded_terrane_glsl};
    const struct source cut = {"cut_buffers.glsl", embedded_cut_buffers_glsl};
    const struct source air = {"atmosphere.glsl", embedded_atmosphere_glsl};
    const struct source cut_passes[] = {{"cut_draws.comp.glsl", embedded_cut_draws_comp_glsl},
                                        {"cut_clusters.comp.glsl", embedded_cut_clusters_comp_glsl},
                                        {"cut_indices.comp.glsl", embedded_cut_indices_comp_glsl}};
    for (int i = 0; i < 3; i++) {
        const struct source sources[] = {shared, buffers, unpack, cut, cut_passes[i], {NULL, NULL}};
        GLuint shader = compile(GL_COMPUTE_SHADER, sources, error);
        r->programs[PROGRAM_CUT_DRAWS + i] = link(&shader, 1, cut_passes[i].name, error);
        if (r->programs[PROGRAM_CUT_DRAWS + i] == 0) return false;
    }

    const struct source vertex[] = {shared, buffers, unpack, {"mesh.vert.glsl", embedded_mesh_vert_glsl}, {NULL, NULL}};
    const struct source fragment[] = {shared, buffers, air, {"mesh.frag.glsl", embedded_mesh_frag_glsl}, {NULL, NULL}};
    GLuint mesh[] = {compile(GL_VERTEX_SHADER, vertex, error), compile(GL_FRAGMENT_SHADER, fragment, error)};
    r->programs[PROGRAM_MESH] = link(mesh, 2, "mesh", error);
    if (r->programs[PROGRAM_MESH] == 0) return false;

    const struct source full[] = {{"fullscreen.vert.glsl", embedded_fullscreen_vert_glsl}, {NULL, NULL}};
    const struct source composite[] = {
        shared, buffers, air, {"composite.frag.glsl", embedded_composite_frag_glsl}, {NULL, NULL}};
    GLuint last[] = {compile(GL_VERTEX_SHADER, full, error), compile(GL_FRAGMENT_SHADER, composite, error)};
    r->programs[PROGRAM_COMPOSITE] = link(last, 2, "composite", error);
    return r->programs[PROGRAM_COMPOSITE] != 0;
}

/* ---- Buffers and pictures ---------------------------------------------------------------------------------------- */

/* Makes a buffer at least `bytes` large; the first `keep` bytes stay. */
static void grow_buffer(renderer *r, int buffer, uint64_t bytes, uint64_t keep) {
    if (bytes < 256) bytes = 256;
    if (r->buffer_bytes[buffer] >= bytes) return;
    GLuint larger;
    glCreateBuffers(1, &larger);
    glNamedBufferStorage(larger, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_STORAGE_BIT);
    glClearNamedBufferData(larger, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
    if (keep > 0) glCopyNamedBufferSubData(r->buffers[buffer], larger, 0, 0, (GLsizeiptr)keep);
    glDeleteBuffers(1, &r->buffers[buffer]);
    r->buffers[buffer] = larger;
    r->buffer_bytes[buffer] = bytes;
}

static GLuint make_texture(GLenum format, uint32_t width, uint32_t height) {
    GLuint texture;
    glCreateTextures(GL_TEXTURE_2D, 1, &texture);
    glTextureStorage2D(texture, 1, format, (GLsizei)width, (GLsizei)height);
    glTextureParameteri(texture, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(texture, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

static GLuint make_target(GLuint color, GLuint depth) {
    GLuint target;
    glCreateFramebuffers(1, &target);
    glNamedFramebufferTexture(target, GL_COLOR_ATTACHMENT0, color, 0);
    if (depth != 0) glNamedFramebufferTexture(target, GL_DEPTH_ATTACHMENT, depth, 0);
    return target;
}

static bool make_pictures(renderer *r) {
    uint32_t width = r->width * r->supersample, height = r->height * r->supersample;
    r->radiance = make_texture(GL_RGBA16F, width, height);
    r->depth = make_texture(GL_DEPTH_COMPONENT32F, width, height);
    r->display = make_texture(GL_RGBA8, width, height);
    r->scene_target = make_target(r->radiance, r->depth);
    r->display_target = make_target(r->display, 0);
    if (r->supersample > 1) {
        r->output = make_texture(GL_RGBA8, r->width, r->height);
        r->output_target = make_target(r->output, 0);
    }
    return glCheckNamedFramebufferStatus(r->scene_target, GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
           glCheckNamedFramebufferStatus(r->display_target, GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static bool set_up(renderer *r, const renderer_def *def, char error[RENDERER_ERROR_BYTES]) {
    GLint64 block_limit = 0;
    GLint vertex_blocks = 0, texture_limit = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &block_limit);
    glGetIntegerv(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, &vertex_blocks);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture_limit);
    snprintf(r->device, sizeof r->device, "%s", (const char *)glGetString(GL_RENDERER));
    r->block_limit = block_limit < INT32_MAX ? (uint64_t)block_limit : INT32_MAX;

    if (epoxy_gl_version() < 45 || vertex_blocks < 6) {
        snprintf(error, RENDERER_ERROR_BYTES, "%s has no OpenGL 4.5 with storage buffers in vertex shaders", r->device);
        return false;
    }
    if (def->vertex_memory_bytes > r->block_limit || def->cluster_memory_bytes > r->block_limit) {
        snprintf(error, RENDERER_ERROR_BYTES,
                 "arenas of %llu and %llu bytes: %s lets a shader see %llu bytes of a buffer",
                 (unsigned long long)def->vertex_memory_bytes, (unsigned long long)def->cluster_memory_bytes, r->device,
                 (unsigned long long)r->block_limit);
        return false;
    }
    uint64_t longer = def->width > def->height ? def->width : def->height;
    if (longer * r->supersample > (uint64_t)texture_limit) {
        snprintf(error, RENDERER_ERROR_BYTES, "a picture of %u x %u is too large for %s", def->width, def->height,
                 r->device);
        return false;
    }
    if (!make_programs(r, error)) return false;

    grow_buffer(r, BUFFER_VERTEX_ARENA, def->vertex_memory_bytes, 0);
    grow_buffer(r, BUFFER_CLUSTER_ARENA, def->cluster_memory_bytes, 0);
    grow_buffer(r, BUFFER_CUT, sizeof(struct cut_block), 0);
    for (int i = BUFFER_PAGES; i < BUFFER_COUNT; i++) grow_buffer(r, i, 256, 0);
    glCreateBuffers(1, &r->frame_buffer_object);
    glNamedBufferStorage(r->frame_buffer_object, sizeof(struct frame_block), NULL, GL_DYNAMIC_STORAGE_BIT);
    glCreateVertexArrays(1, &r->vertex_array);
    glCreateQueries(GL_TIMESTAMP, TIME_COUNT, r->times);
    bool complete = make_pictures(r);
    if (!complete || glGetError() != GL_NO_ERROR) {
        snprintf(error, RENDERER_ERROR_BYTES, "%s has no memory for the arenas and pictures asked for", r->device);
        return false;
    }

    /* Depth is 1 at the near plane and 0 at infinity: floats are densest at 0, which evens out their precision. */
    glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    glDepthFunc(GL_GREATER);
    return true;
}

renderer *renderer_create(const renderer_def *def, char error[RENDERER_ERROR_BYTES]) {
    if (def->width == 0 || def->height == 0 || def->supersample > 2 || def->vertex_memory_bytes == 0 ||
        def->cluster_memory_bytes == 0) {
        snprintf(error, RENDERER_ERROR_BYTES, "a number of the renderer's definition is out of range");
        return NULL;
    }
    renderer *r = calloc(1, sizeof *r);
    if (r == NULL) {
        snprintf(error, RENDERER_ERROR_BYTES, "out of memory");
        return NULL;
    }
    r->width = def->width;
    r->height = def->height;
    r->supersample = def->supersample == 0 ? 1 : def->supersample;
    if (offscreen_context_create(&r->gl, error, RENDERER_ERROR_BYTES) && set_up(r, def, error)) return r;
    renderer_destroy(r);
    return NULL;
}

/* All GL objects go with their context. */
void renderer_destroy(renderer *r) {
    if (r == NULL) return;
    offscreen_context_destroy(&r->gl);
    free(r);
}

const char *renderer_device(const renderer *r) { return r->device; }

/* ---- What is in memory ------------------------------------------------------------------------------------------- */

void renderer_copy(renderer *r, trn_arena arena, uint64_t to, const void *from, uint64_t bytes) {
    int buffer = arena == TRN_ARENA_VERTICES ? BUFFER_VERTEX_ARENA : BUFFER_CLUSTER_ARENA;
    glNamedBufferSubData(r->buffers[buffer], (GLintptr)to, (GLsizeiptr)bytes, from);
}

/* Writes elements into a table that doubles when it must. */
static void write_table(renderer *r, int buffer, uint64_t first, const void *elements, uint64_t count, uint64_t size) {
    if (count == 0) return;
    uint64_t had = r->buffer_bytes[buffer], end = (first + count) * size;
    if (end > had) grow_buffer(r, buffer, end > 2 * had ? end : 2 * had, had);
    glNamedBufferSubData(r->buffers[buffer], (GLintptr)(first * size), (GLsizeiptr)(count * size), elements);
}

void renderer_set_pages(renderer *r, const trn_page_entry *entries, uint32_t first, uint32_t count) {
    write_table(r, BUFFER_PAGES, first, entries, count, sizeof *entries);
}

void renderer_set_model(renderer *r, uint32_t model, const renderer_model *info) {
    if (model < MODEL_LIMIT) write_table(r, BUFFER_MODELS, model, info, 1, sizeof *info);
}

void renderer_set_draws(renderer *r, const trn_draw *draws, uint32_t count) {
    write_table(r, BUFFER_DRAWS, 0, draws, count, sizeof *draws);
    r->draw_count = count;
    r->page_pair_capacity = 0;
    for (uint32_t i = 0; i < count; i++) r->page_pair_capacity += draws[i].page_count;
}

/* ---- A frame ----------------------------------------------------------------------------------------------------- */

/* Planes of the frustum in eye space, pointing inside, brought into render-relative space: n . (R p + t) + d. */
static void set_planes(struct frame_block *block) {
    float x = block->tangent[0], y = block->tangent[1];
    float eye_planes[5][4] = {
        {1, 0, -x, 0}, {-1, 0, -x, 0}, {0, 1, -y, 0}, {0, -1, -y, 0}, {0, 0, -1, -block->near_plane}};
    const float *v = block->view;
    for (int i = 0; i < 5; i++) {
        const float *e = eye_planes[i];
        float length = sqrtf(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        for (int axis = 0; axis < 4; axis++) {
            const float *column = v + 4 * axis;
            block->planes[i][axis] = (e[0] * column[0] + e[1] * column[1] + e[2] * column[2]) / length;
        }
        block->planes[i][3] += e[3] / length;
    }
}

static struct frame_block frame_numbers(const renderer *r, const renderer_frame *frame) {
    struct frame_block block = {.near_plane = frame->near_plane,
                                .haze_distance = frame->haze_distance > 0 ? frame->haze_distance : 10000.0f,
                                .water_height = frame->water_height,
                                .mode = (uint32_t)frame->mode,
                                .draw_count = r->draw_count,
                                .cull = !frame->keep_all,
                                .water = frame->water,
                                .page_pair_capacity = (uint32_t)r->page_pair_capacity,
                                .cluster_capacity = r->cluster_capacity,
                                .index_capacity = r->index_capacity};
    const float *v = frame->view;
    memcpy(block.view, v, sizeof block.view);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) block.eye_to_world[4 * i + k] = v[4 * k + i];
        block.eye_to_world[12 + i] = -(v[4 * i] * v[12] + v[4 * i + 1] * v[13] + v[4 * i + 2] * v[14]);
    }
    block.eye_to_world[15] = 1;

    block.viewport[0] = (float)(r->width * r->supersample);
    block.viewport[1] = (float)(r->height * r->supersample);
    block.tangent[1] = tanf(0.5f * frame->fov_y);
    block.tangent[0] = block.tangent[1] * block.viewport[0] / block.viewport[1];
    block.projection[0] = 1.0f / block.tangent[0];
    block.projection[5] = 1.0f / block.tangent[1];
    block.projection[11] = -1.0f;
    block.projection[14] = frame->near_plane;
    set_planes(&block);

    float light[3] = {-0.55f, 0.48f, 0.42f};
    if (frame->light[0] != 0 || frame->light[1] != 0 || frame->light[2] != 0) memcpy(light, frame->light, sizeof light);
    float length = sqrtf(light[0] * light[0] + light[1] * light[1] + light[2] * light[2]);
    for (int i = 0; i < 3; i++) {
        block.light[i] = light[i] / length;
        block.render_origin[i] = (float)frame->render_origin[i];
    }
    return block;
}

static void bind_buffers(renderer *r) {
    for (GLuint i = 0; i < BUFFER_COUNT; i++) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, r->buffers[i]);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, r->frame_buffer_object);
    glVertexArrayElementBuffer(r->vertex_array, r->buffers[BUFFER_INDICES]);
}

static void dispatch(renderer *r, int program, uint64_t groups) {
    if (groups == 0) return;
    glUseProgram(r->programs[program]);
    glDispatchCompute(groups < GROUP_LIMIT ? (GLuint)groups : GROUP_LIMIT, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

/* An empty cut: both commands draw nothing. */
static void begin_cut(renderer *r, struct frame_block *block, struct cut_block *cut) {
    block->cluster_capacity = r->cluster_capacity;
    block->index_capacity = r->index_capacity;
    glNamedBufferSubData(r->frame_buffer_object, 0, sizeof *block, block);
    *cut = (struct cut_block){.one_sided.instance_count = 1, .two_sided.instance_count = 1};
    glNamedBufferSubData(r->buffers[BUFFER_CUT], 0, sizeof *cut, cut);
    bind_buffers(r);
}

static void run_cut(renderer *r, struct frame_block *block, struct cut_block *cut) {
    begin_cut(r, block, cut);
    dispatch(r, PROGRAM_CUT_DRAWS, (r->draw_count + 63u) / 64u);
    dispatch(r, PROGRAM_CUT_CLUSTERS, r->page_pair_capacity);
    dispatch(r, PROGRAM_CUT_INDICES, r->page_pair_capacity > 0 ? GROUP_LIMIT : 0);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT);
    glGetNamedBufferSubData(r->buffers[BUFFER_CUT], 0, sizeof *cut, cut);
}

/* Makes room for what the last cut wanted and a quarter more. False when a buffer cannot be that large. */
static bool make_room(renderer *r, uint64_t clusters, uint64_t indices) {
    clusters += clusters / 4;
    indices += indices / 4;
    uint64_t cluster_bytes = clusters * sizeof(renderer_visible_cluster), index_bytes = indices * 4;
    if (cluster_bytes > r->block_limit || index_bytes > r->block_limit || clusters >= 1u << 26) return false;
    grow_buffer(r, BUFFER_VISIBLE, cluster_bytes, 0);
    grow_buffer(r, BUFFER_INDICES, index_bytes, 0);
    r->cluster_capacity = (uint32_t)(r->buffer_bytes[BUFFER_VISIBLE] / sizeof(renderer_visible_cluster));
    r->index_capacity = (uint32_t)(r->buffer_bytes[BUFFER_INDICES] / 12 * 3);
    return true;
}

static void draw_meshes(renderer *r) {
    static const float black[4] = {0, 0, 0, 0};
    static const float infinitely_far = 0;
    glClearNamedFramebufferfv(r->scene_target, GL_COLOR, 0, black);
    glClearNamedFramebufferfv(r->scene_target, GL_DEPTH, 0, &infinitely_far);
    glBindFramebuffer(GL_FRAMEBUFFER, r->scene_target);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(r->programs[PROGRAM_MESH]);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, r->buffers[BUFFER_CUT]);
    glEnable(GL_CULL_FACE);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, (const void *)offsetof(struct cut_block, one_sided));
    glDisable(GL_CULL_FACE);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, (const void *)offsetof(struct cut_block, two_sided));
    glDisable(GL_DEPTH_TEST);
}

static void draw_composite(renderer *r) {
    GLint width = (GLint)(r->width * r->supersample), height = (GLint)(r->height * r->supersample);
    glBindFramebuffer(GL_FRAMEBUFFER, r->display_target);
    glUseProgram(r->programs[PROGRAM_COMPOSITE]);
    glBindTextureUnit(0, r->radiance);
    glBindTextureUnit(1, r->depth);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    if (r->supersample > 1)
        glBlitNamedFramebuffer(r->display_target, r->output_target, 0, 0, width, height, 0, 0, (GLint)r->width,
                               (GLint)r->height, GL_COLOR_BUFFER_BIT, GL_LINEAR);
}

static double milliseconds_between(const renderer *r, int from, int to) {
    GLuint64 a = 0, b = 0;
    glGetQueryObjectui64v(r->times[from], GL_QUERY_RESULT, &a);
    glGetQueryObjectui64v(r->times[to], GL_QUERY_RESULT, &b);
    return b > a ? (double)(b - a) * 1e-6 : 0;
}

bool renderer_draw(renderer *r, const renderer_frame *frame, renderer_stats *stats) {
    struct frame_block block = frame_numbers(r, frame);
    struct cut_block cut = {0};
    bool room = r->page_pair_capacity <= r->block_limit / 8;
    if (room) grow_buffer(r, BUFFER_PAGE_PAIRS, r->page_pair_capacity * 8, 0);
    if (r->index_capacity == 0) room = room && make_room(r, FIRST_CLUSTERS, FIRST_INDICES);
    r->near_plane = frame->near_plane;

    /* 1 choose; once more when there was no room */
    glQueryCounter(r->times[TIME_START], GL_TIMESTAMP);
    if (room) {
        run_cut(r, &block, &cut);
        if (cut.clusters_wanted > r->cluster_capacity || cut.indices_wanted > r->index_capacity) {
            room = make_room(r, cut.clusters_wanted, cut.indices_wanted);
            if (room) run_cut(r, &block, &cut);
        }
    }
    if (!room) begin_cut(r, &block, &cut);

    /* 2 meshes, 3 all the rest */
    glQueryCounter(r->times[TIME_CUT], GL_TIMESTAMP);
    glViewport(0, 0, (GLsizei)(r->width * r->supersample), (GLsizei)(r->height * r->supersample));
    glBindVertexArray(r->vertex_array);
    draw_meshes(r);
    glQueryCounter(r->times[TIME_MESH], GL_TIMESTAMP);
    draw_composite(r);
    glQueryCounter(r->times[TIME_END], GL_TIMESTAMP);
    glFinish();

    r->visible_count = cut.clusters_wanted;
    *stats = (renderer_stats){.draws = r->draw_count,
                              .draws_in_view = cut.draws_seen,
                              .page_pairs = cut.page_pair_count,
                              .clusters = cut.clusters_wanted,
                              .triangles = cut.indices_wanted / 3,
                              .cut_milliseconds = milliseconds_between(r, TIME_START, TIME_CUT),
                              .mesh_milliseconds = milliseconds_between(r, TIME_CUT, TIME_MESH),
                              .composite_milliseconds = milliseconds_between(r, TIME_MESH, TIME_END)};
    return room;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* OpenGL's rows run upward. */
static void turn_upside_down(void *rows, size_t row_bytes, uint32_t count) {
    uint8_t *low = rows, *high = low + row_bytes * (count - 1);
    for (; low < high; low += row_bytes, high -= row_bytes) {
        for (size_t i = 0; i < row_bytes; i++) {
            uint8_t kept = low[i];
            low[i] = high[i];
            high[i] = kept;
        }
    }
}

void renderer_read_pixels(const renderer *r, uint8_t *rgba) {
    GLuint picture = r->supersample > 1 ? r->output : r->display;
    size_t bytes = (size_t)r->width * r->height * 4;
    glGetTextureImage(picture, 0, GL_RGBA, GL_UNSIGNED_BYTE, (GLsizei)bytes, rgba);
    turn_upside_down(rgba, (size_t)r->width * 4, r->height);
}

void renderer_read_distance(const renderer *r, float *distance) {
    size_t width = (size_t)r->width * r->supersample, height = (size_t)r->height * r->supersample;
    glGetTextureImage(r->depth, 0, GL_DEPTH_COMPONENT, GL_FLOAT, (GLsizei)(width * height * sizeof *distance),
                      distance);
    for (size_t i = 0; i < width * height; i++)
        distance[i] = distance[i] > 0 ? r->near_plane / distance[i] : (float)INFINITY;
    turn_upside_down(distance, width * sizeof *distance, (uint32_t)height);
}

uint32_t renderer_read_visible(const renderer *r, renderer_visible_cluster *clusters, uint32_t capacity) {
    uint32_t count = r->visible_count < capacity ? r->visible_count : capacity;
    if (count > 0)
        glGetNamedBufferSubData(r->buffers[BUFFER_VISIBLE], 0, (GLsizeiptr)(count * sizeof *clusters), clusters);
    return r->visible_count;
}
