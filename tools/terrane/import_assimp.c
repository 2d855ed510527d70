/* SPDX-License-Identifier: MIT */
/* Any format, through assimp, in the child process.
 *
 * The file is read without post-processing first, so that indices past the end (which some importers hand on from damaged
 * files) are refused before anything uses them. Then n-gons become triangles; points and lines are passed over. A node's
 * transform is applied to each mesh it places; a mirroring one turns the winding. Triangles are put in order of their
 * material, one submesh a material that has triangles.
 *
 * Attributes are one set for the whole model, but each mesh of a scene has its own. An attribute that no mesh has is left
 * out. Else: normals are made (smooth) for meshes without; tangents count only when all meshes have them, as the cook makes
 * better ones than a filler; missing UVs are 0 and missing colours white, as a renderer would have it. An STL's normals are
 * dropped: it stores one for each triangle, which says no more than the triangle and would make each edge a seam. UVs are as
 * assimp has them: (0, 0) is the lower left corner for every format. */
#include "import_flat.h"
#include "import_gzip.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/mesh.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static bool has_only_good_indices(const struct aiScene *scene) {
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            for (unsigned i = 0; i < mesh->mFaces[f].mNumIndices; i++) {
                if (mesh->mFaces[f].mIndices[i] >= mesh->mNumVertices) return false;
            }
        }
    }
    return true;
}

/* Why assimp refused. */
static void refuse_as_assimp(const import_flat *flat) {
    const char *reason = aiGetErrorString();
    if (strstr(reason, "bad_alloc") || strstr(reason, "bad allocation")) import_out_of_memory(flat);
    char text[256];
    snprintf(text, sizeof text, "%.250s", reason[0] ? reason : "no importer takes it");
    import_refuse(flat, text);
}

static uint64_t points_and_lines(const struct aiScene *scene) {
    uint64_t count = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) count += mesh->mFaces[f].mNumIndices < 3;
    }
    return count;
}

/* What a format cannot say, though assimp says it. */
typedef struct format {
    bool has_facet_normals; /* STL */
    bool has_no_materials;
} format;

static format format_of(const char *name) {
    const char *dot = strrchr(name, '.');
    const bool is_stl = dot && strcasecmp(dot, ".stl") == 0, is_off = dot && strcasecmp(dot, ".off") == 0;
    return (format){.has_facet_normals = is_stl, .has_no_materials = is_stl || is_off};
}

/* Meshes of triangles, with normals in all or none. */
static const struct aiScene *read_scene(import_flat *flat, const char *path, format *kind) {
    const char *name = path;
    gzip_file gzip;
    struct aiFileIO *io = NULL;
    if (gzip_is_name(path)) {
        const char *problem = gzip_open(&gzip, path);
        if (problem && !problem[0]) import_out_of_memory(flat);
        if (problem) import_refuse(flat, problem);
        name = gzip.name;
        io = &gzip.io;
    }
    *kind = format_of(name);

    const struct aiScene *scene = aiImportFileEx(name, 0, io);
    if (!scene) refuse_as_assimp(flat);
    if (!has_only_good_indices(scene)) import_refuse(flat, "a face refers to a vertex that does not exist");
    if (scene->mNumMeshes == 0 || !scene->mRootNode) import_refuse(flat, "there is no triangle in it");

    flat->header.left_out = points_and_lines(scene);
    bool some_have = false, some_lack = false;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        if (scene->mMeshes[m]->mNormals)
            some_have = true;
        else
            some_lack = true;
    }
    /* Not SortByPType, which crashes on meshes without faces: what is no triangle is passed over below. */
    unsigned steps = aiProcess_Triangulate;
    if (some_have && some_lack) steps |= aiProcess_GenSmoothNormals; /* leaves those that are there */
    scene = aiApplyPostProcessing(scene, steps);
    if (!scene) import_refuse(flat, "there is no triangle in it");
    return scene;
}

static uint32_t triangle_count(const struct aiMesh *mesh) {
    uint32_t count = 0;
    for (unsigned f = 0; f < mesh->mNumFaces; f++) count += mesh->mFaces[f].mNumIndices == 3;
    return count;
}

/* ---- Placing ---------------------------------------------------------------------------------------------------- */

/* One mesh at one place. */
typedef struct instance {
    const struct aiMesh *mesh;
    double linear[9]; /* row-major */
    double offset[3];
    bool is_identity;
    unsigned material;
    uint32_t order; /* keeps the scene's order within a material */
} instance;

/* a = b c, affine: 12 numbers, row-major. */
static void multiply(double a[12], const double b[12], const double c[12]) {
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? b[row * 4 + 3] : 0;
            for (int k = 0; k < 3; k++) sum += b[row * 4 + k] * c[k * 4 + column];
            a[row * 4 + column] = sum;
        }
    }
}

static void node_matrix(double to[12], const struct aiMatrix4x4 *m) {
    const float from[12] = {m->a1, m->a2, m->a3, m->a4, m->b1, m->b2, m->b3, m->b4, m->c1, m->c2, m->c3, m->c4};
    for (int i = 0; i < 12; i++) to[i] = (double)from[i];
}

/* Instances of the whole scene; a node's matrix is the product along its parents. */
typedef struct placing {
    instance *list;
    uint32_t count, capacity;
} placing;

static bool add(placing *p, const struct aiScene *scene, unsigned mesh, const double matrix[12]) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (p->count == p->capacity) {
        if (p->capacity > UINT32_MAX / 2) return false;
        p->capacity = p->capacity ? p->capacity * 2 : 64;
        instance *grown = realloc(p->list, p->capacity * sizeof *grown);
        if (!grown) return false;
        p->list = grown;
    }
    instance *i = &p->list[p->count];
    *i = (instance){.mesh = scene->mMeshes[mesh], .material = scene->mMeshes[mesh]->mMaterialIndex, .order = p->count};
    p->count++;
    for (int k = 0; k < 9; k++) i->linear[k] = matrix[k / 3 * 4 + k % 3];
    for (int k = 0; k < 3; k++) i->offset[k] = matrix[k * 4 + 3];
    i->is_identity = memcmp(matrix, identity, sizeof identity) == 0;
    return true;
}

/* Walks the tree with a stack on the heap: files choose its depth. */
static bool place_all(const struct aiScene *scene, placing *p) {
    typedef struct visit {
        const struct aiNode *node;
        double parent[12];
    } visit;
    size_t count = 1, capacity = 64;
    visit *stack = malloc(capacity * sizeof *stack);
    if (!stack) return false;
    stack[0] = (visit){scene->mRootNode, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    while (count > 0) {
        const visit v = stack[--count];
        double own[12], matrix[12];
        node_matrix(own, &v.node->mTransformation);
        multiply(matrix, v.parent, own);
        for (unsigned i = 0; i < v.node->mNumMeshes; i++) {
            const unsigned mesh = v.node->mMeshes[i];
            if (mesh >= scene->mNumMeshes || triangle_count(scene->mMeshes[mesh]) == 0) continue;
            if (!add(p, scene, mesh, matrix)) return false;
        }
        if (count + v.node->mNumChildren > capacity) {
            capacity = (count + v.node->mNumChildren) * 2;
            visit *grown = realloc(stack, capacity * sizeof *stack);
            if (!grown) return false;
            stack = grown;
        }
        /* The first child comes off first. */
        for (unsigned i = v.node->mNumChildren; i-- > 0;) {
            stack[count].node = v.node->mChildren[i];
            memcpy(stack[count++].parent, matrix, sizeof matrix);
        }
    }
    return true;
}

static int by_material(const void *a, const void *b) {
    const instance *x = a, *y = b;
    if (x->material != y->material) return x->material < y->material ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void apply(const double m[9], const float v[3], double to[3]) {
    for (int row = 0; row < 3; row++) {
        to[row] = m[row * 3] * (double)v[0] + m[row * 3 + 1] * (double)v[1] + m[row * 3 + 2] * (double)v[2];
    }
}

static void normalise(double v[3]) {
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 0)) return;
    for (int k = 0; k < 3; k++) v[k] /= length;
}

static void cross(const double a[3], const double b[3], double to[3]) {
    for (int k = 0; k < 3; k++) to[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The matrix for normals: cofactors, with the determinant's sign, so that they stay outside. Returns the determinant. */
static double cofactors(const double m[9], double to[9]) {
    for (int row = 0; row < 3; row++) cross(&m[(row + 1) % 3 * 3], &m[(row + 2) % 3 * 3], &to[row * 3]);
    const double determinant = dot(m, to);
    if (determinant < 0) {
        for (int k = 0; k < 9; k++) to[k] = -to[k];
    }
    return determinant;
}

/* ---- One flat mesh ---------------------------------------------------------------------------------------------- */

/* Which attributes the model gets, and how large it is. */
static void measure(import_flat *to, const placing *p, const format *kind) {
    bool all_have_tangents = true, all_have_normals = true;
    uint64_t attributes = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct aiMesh *mesh = p->list[i].mesh;
        to->header.vertex_count += mesh->mNumVertices;
        to->header.index_count += 3 * (uint64_t)triangle_count(mesh);
        to->header.submesh_count += i == 0 || p->list[i].material != p->list[i - 1].material;
        if (!mesh->mNormals) all_have_normals = false;
        if (!mesh->mTangents || !mesh->mBitangents) all_have_tangents = false;
        if (mesh->mTextureCoords[0]) attributes |= TRN_ATTRIBUTE_UV0;
        if (mesh->mTextureCoords[1]) attributes |= TRN_ATTRIBUTE_UV1;
        if (mesh->mColors[0]) attributes |= TRN_ATTRIBUTE_COLOR;
    }
    if (all_have_normals && !kind->has_facet_normals) {
        attributes |= TRN_ATTRIBUTE_NORMAL;
        if (all_have_tangents) attributes |= TRN_ATTRIBUTE_TANGENT;
    }
    to->header.attributes = attributes;
    to->header.material_count = to->header.submesh_count;
}

static void put_frame(import_flat *to, const instance *in, const double for_normals[9], unsigned v, uint64_t at) {
    double normal[3], tangent[3], bitangent[3], side[3];
    const struct aiVector3D *n = &in->mesh->mNormals[v];
    apply(for_normals, (float[3]){n->x, n->y, n->z}, normal);
    if (!in->is_identity) normalise(normal);
    for (int k = 0; k < 3; k++) to->normals[at * 3 + (unsigned)k] = (float)normal[k];
    if (!to->tangents) return;

    const struct aiVector3D *t = &in->mesh->mTangents[v], *b = &in->mesh->mBitangents[v];
    apply(in->linear, (float[3]){t->x, t->y, t->z}, tangent);
    apply(in->linear, (float[3]){b->x, b->y, b->z}, bitangent);
    if (!in->is_identity) normalise(tangent);
    cross(normal, tangent, side);
    for (int k = 0; k < 3; k++) to->tangents[at * 4 + (unsigned)k] = (float)tangent[k];
    to->tangents[at * 4 + 3] = dot(side, bitangent) < 0 ? -1.0f : 1.0f;
}

static void put_uv(float *to, const struct aiVector3D *from, uint64_t at) {
    to[at * 2] = from ? from->x : 0;
    to[at * 2 + 1] = from ? from->y : 0;
}

static uint8_t unit_to_byte(float value) { return value > 0 ? value < 1 ? (uint8_t)(value * 255 + 0.5f) : 255 : 0; }

static void put_vertices(import_flat *to, const instance *in, const double for_normals[9], uint64_t first) {
    const struct aiMesh *mesh = in->mesh;
    for (unsigned v = 0; v < mesh->mNumVertices; v++) {
        const uint64_t at = first + v;
        const float from[3] = {mesh->mVertices[v].x, mesh->mVertices[v].y, mesh->mVertices[v].z};
        double position[3] = {(double)from[0], (double)from[1], (double)from[2]};
        if (!in->is_identity) {
            apply(in->linear, from, position);
            for (int k = 0; k < 3; k++) position[k] += in->offset[k];
        }
        for (unsigned k = 0; k < 3; k++) to->positions[at * 3 + k] = (float)position[k];
        if (to->normals) put_frame(to, in, for_normals, v, at);
        if (to->uv0) put_uv(to->uv0, mesh->mTextureCoords[0] ? &mesh->mTextureCoords[0][v] : NULL, at);
        if (to->uv1) put_uv(to->uv1, mesh->mTextureCoords[1] ? &mesh->mTextureCoords[1][v] : NULL, at);
        if (to->colors) {
            const struct aiColor4D white = {1, 1, 1, 1}, *c = mesh->mColors[0] ? &mesh->mColors[0][v] : &white;
            const float channels[4] = {c->r, c->g, c->b, c->a};
            for (unsigned k = 0; k < 4; k++) to->colors[at * 4 + k] = unit_to_byte(channels[k]);
        }
    }
}

/* Where the next instance goes. */
typedef struct cursor {
    uint64_t vertex, index;
} cursor;

static void put_instance(import_flat *to, const instance *in, cursor *at) {
    double for_normals[9];
    const bool is_mirrored = cofactors(in->linear, for_normals) < 0;
    put_vertices(to, in, for_normals, at->vertex);
    for (unsigned f = 0; f < in->mesh->mNumFaces; f++) {
        const struct aiFace *face = &in->mesh->mFaces[f];
        if (face->mNumIndices != 3) continue;
        for (unsigned k = 0; k < 3; k++) {
            const unsigned corner = is_mirrored && k > 0 ? 3 - k : k;
            to->indices[at->index++] = (uint32_t)at->vertex + face->mIndices[corner];
        }
    }
    at->vertex += in->mesh->mNumVertices;
}

static uint32_t material_flags(const struct aiMaterial *material) {
    int two_sided = 0;
    unsigned one = 1;
    struct aiString alpha;
    uint32_t flags = 0;
    if (aiGetMaterialIntegerArray(material, AI_MATKEY_TWOSIDED, &two_sided, &one) == aiReturn_SUCCESS && two_sided)
        flags |= TRN_SUBMESH_TWO_SIDED;
    if (aiGetMaterialString(material, "$mat.gltf.alphaMode", 0, 0, &alpha) == aiReturn_SUCCESS &&
        strcmp(alpha.data, "MASK") == 0)
        flags |= TRN_SUBMESH_ALPHA_TESTED;
    return flags;
}

/* Name and flags of a submesh's material. Returns the bytes of the name, its zero included. */
static size_t put_material(import_flat *to, const struct aiScene *scene, unsigned material, uint64_t submesh) {
    struct aiString name = {0};
    if (material < scene->mNumMaterials) {
        to->submeshes[submesh].flags = material_flags(scene->mMaterials[material]);
        if (aiGetMaterialString(scene->mMaterials[material], AI_MATKEY_NAME, &name) != aiReturn_SUCCESS)
            name.data[0] = 0;
    }
    if (!name.data[0]) snprintf(name.data, sizeof name.data, "material %u", material);
    const size_t bytes = strlen(name.data) + 1;
    memcpy(to->names + to->header.name_bytes, name.data, bytes);
    return bytes;
}

static void fill(import_flat *to, const struct aiScene *scene, const placing *p) {
    uint64_t submesh = 0;
    cursor at = {0, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        if (i == 0 || p->list[i].material != p->list[i - 1].material) {
            to->submeshes[submesh] = (trn_cook_submesh){.first_index = at.index, .material = (uint32_t)submesh};
            to->header.name_bytes += put_material(to, scene, p->list[i].material, submesh);
            submesh++;
        }
        put_instance(to, &p->list[i], &at);
        to->submeshes[submesh - 1].index_count = at.index - to->submeshes[submesh - 1].first_index;
    }
}

void import_assimp(import_flat *flat, const char *path) {
    format kind;
    const struct aiScene *scene = read_scene(flat, path, &kind);
    placing p = {0};
    if (!place_all(scene, &p)) import_out_of_memory(flat);
    if (p.count == 0) import_refuse(flat, "there is no triangle in it");
    qsort(p.list, p.count, sizeof *p.list, by_material);
    measure(flat, &p, &kind);
    if (flat->header.vertex_count > UINT32_MAX) import_refuse(flat, "it has more than 2^32 vertices");
    import_flat_allocate(flat);
    fill(flat, scene, &p);
    for (uint64_t i = 0; i < flat->header.submesh_count && kind.has_no_materials; i++) flat->submeshes[i].flags = 0;
}
