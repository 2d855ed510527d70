/* SPDX-License-Identifier: MIT */
/* Light of sun and sky, linear; shared by meshes, water and background. */

const vec3 sun_color = vec3(2.9, 2.5, 1.95);

vec3 sky_without_sun(vec3 direction) {
    float up = max(direction.y, 0.0);
    vec3 zenith = vec3(0.055, 0.17, 0.47);
    vec3 horizon = vec3(0.50, 0.64, 0.80);
    float toward_sun = max(dot(direction, light.xyz), 0.0);
    float above = 1.0 - up; /* to the fifth: the air gets thin quickly */
    vec3 sky = mix(zenith, horizon, 0.25 * above + 0.75 * above * above * above * above * above);
    return sky + vec3(0.55, 0.36, 0.16) * pow(toward_sun, 8.0) * (0.25 + 0.75 * exp(-4.0 * up));
}

vec3 sky_color(vec3 direction) {
    float toward_sun = dot(direction, light.xyz);
    return sky_without_sun(direction) + vec3(12.0, 10.5, 8.0) * smoothstep(0.99970, 0.99985, toward_sun);
}

/* What the sky and the ground around give a surface. */
vec3 ambient(vec3 surface_normal) {
    vec3 sky = vec3(0.30, 0.42, 0.64);
    vec3 ground = vec3(0.13, 0.115, 0.085);
    return mix(ground, sky, 0.5 + 0.5 * surface_normal.y);
}
