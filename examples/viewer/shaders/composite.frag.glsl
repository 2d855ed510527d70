/* SPDX-License-Identifier: MIT */
/* Puts meshes, water and sky together by distance, adds haze, and turns radiance into display colours. */
layout(binding = 0) uniform sampler2D scene_radiance;
layout(binding = 1) uniform sampler2D scene_depth;
layout(location = 0) out vec4 display;

const vec3 debug_background = vec3(0.055, 0.065, 0.085); /* display colour */

vec3 with_haze(vec3 radiance, vec3 direction, float distance) {
    vec3 toward = normalize(vec3(direction.x, max(direction.y, 0.0), direction.z)); /* so that the horizon is no edge */
    return mix(sky_without_sun(toward), radiance, exp(-distance / haze_distance));
}

/* A calm sea: two crossing sets of small waves, smoothed with distance. */
vec3 water_normal(vec2 p, float distance) {
    float calm = 1.0 / (1.0 + distance * 0.006);
    vec2 slope = vec2(0.0);
    for (int i = 0; i < 5; i++) {
        float angle = float(i) * 1.9 + 0.4;
        vec2 direction = vec2(cos(angle), sin(angle));
        float frequency = 0.22 * exp2(float(i) * 0.8);
        float fade = 1.0 / (1.0 + distance * frequency * 0.01);
        slope += direction * cos(dot(p, direction) * frequency + float(i) * 1.3) * 0.05 * fade;
    }
    return normalize(vec3(-slope.x * calm, 1.0, -slope.y * calm));
}

/* `behind`: radiance of what is under the water, and how much water lies between (metres). */
vec3 water_color(vec3 place, vec3 direction, float distance, vec3 behind, float thickness) {
    vec3 n = water_normal(place.xz, distance);
    vec3 mirrored = reflect(direction, n);
    mirrored.y = abs(mirrored.y);
    float fresnel = 0.02 + 0.98 * pow(1.0 - max(dot(n, -direction), 0.0), 5.0);
    vec3 clear = exp(-thickness * vec3(0.30, 0.085, 0.060));
    vec3 body = mix(vec3(0.010, 0.075, 0.115), behind, clear);
    float glint = pow(max(dot(mirrored, light.xyz), 0.0), 240.0);
    return mix(body, sky_without_sun(mirrored), fresnel) + sun_color * glint * 1.2;
}

vec3 tone_mapped(vec3 x) {
    x *= 0.50;
    return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float depth = texelFetch(scene_depth, pixel, 0).r;
    vec3 radiance = texelFetch(scene_radiance, pixel, 0).rgb;
    if (mode == MODE_DEBUG) {
        display = vec4(depth > 0.0 ? pow(radiance, vec3(1.0 / 2.2)) : debug_background, 1.0);
        return;
    }

    vec3 ray = vec3((gl_FragCoord.xy / viewport * 2.0 - 1.0) * tangent, -1.0);
    float stretch = length(ray);
    vec3 direction = mat3(eye_to_world) * (ray / stretch);
    vec3 eye = eye_to_world[3].xyz + render_origin.xyz;
    bool covered = depth > 0.0;
    float distance = covered ? near_plane / depth * stretch : 1.0e30;

    float to_water = (water_height - eye.y) / direction.y;
    if (water != 0u && eye.y > water_height && to_water > 0.0 && to_water < distance) {
        float thickness = min(distance - to_water, 1.0e4);
        radiance = water_color(eye + direction * to_water, direction, to_water, covered ? radiance : vec3(0.0), thickness);
        radiance = with_haze(radiance, direction, to_water);
    } else if (covered) {
        radiance = with_haze(radiance, direction, distance);
    } else {
        radiance = sky_color(direction);
    }
    /* A grain of less than one step keeps the sky from showing bands. */
    float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    display = vec4(pow(tone_mapped(radiance), vec3(1.0 / 2.2)) + grain / 255.0, 1.0);
}
