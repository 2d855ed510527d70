/* SPDX-License-Identifier: MIT */
/* Light on a surface. Haze comes later, with the background. */
layout(location = 0) in vec3 world_position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;
layout(location = 3) flat in uint terrain;
layout(location = 0) out vec4 radiance;

float noise_at(ivec2 cell) {
    uint x = uint(cell.x) * 0x9e3779b1u ^ uint(cell.y) * 0x85ebca77u;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    return float((x ^ x >> 13) & 0xffffu) / 65535.0;
}

float noise(vec2 p) {
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(noise_at(cell), noise_at(cell + ivec2(1, 0)), f.x),
               mix(noise_at(cell + ivec2(0, 1)), noise_at(cell + ivec2(1, 1)), f.x), f.y);
}

/* Sand at the shore, grass, woods, rock where it is steep, snow on top. */
vec3 terrain_color(vec3 n) {
    float patches = noise(world_position.xz * 0.011) * 0.65 + noise(world_position.xz * 0.057) * 0.35;
    float height = world_position.y - water_height + (patches - 0.5) * 14.0;
    float steep = 1.0 - n.y + (patches - 0.5) * 0.12;
    vec3 ground = mix(vec3(0.165, 0.20, 0.055), vec3(0.055, 0.105, 0.032), smoothstep(0.35, 0.65, patches));
    ground = mix(vec3(0.50, 0.40, 0.25), ground, smoothstep(1.0, 7.0, height));
    ground = mix(ground, vec3(0.24, 0.22, 0.15), smoothstep(90.0, 150.0, height));
    ground = mix(ground, mix(vec3(0.15, 0.135, 0.12), vec3(0.23, 0.205, 0.175), patches), smoothstep(0.16, 0.34, steep));
    ground = mix(ground, vec3(0.82, 0.85, 0.90), smoothstep(150.0, 185.0, height) * (1.0 - smoothstep(0.30, 0.50, steep)));
    vec2 p = world_position.xz;
    float pixel = sqrt(length(dFdx(p)) * length(dFdy(p))); /* metres; noise finer than that would flicker */
    float detail = 0.0, frequency = 0.13, amplitude = 0.42;
    for (int i = 0; i < 4; i++) {
        detail += amplitude * (1.0 - smoothstep(0.15, 0.6, frequency * pixel)) * (noise(p * frequency) - 0.5);
        frequency *= 3.1;
        amplitude *= 0.9;
    }
    return ground * (1.0 + detail);
}

void main() {
    vec3 n = normalize(normal);
    if (!gl_FrontFacing) n = -n; /* two-sided only: others are culled */
    if (mode == MODE_DEBUG) {
        float lit = 0.25 + 0.75 * (0.5 + 0.5 * dot(n, light.xyz));
        radiance = vec4(color * lit, 1.0);
        return;
    }
    vec3 albedo = terrain != 0u ? color * terrain_color(n) : color;
    float sun = max(dot(n, light.xyz), 0.0);
    radiance = vec4(albedo * (sun_color * sun + ambient(n)), 1.0);
}
