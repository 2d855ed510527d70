/* SPDX-License-Identifier: MIT */
#include "offscreen_context.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stdio.h>

/* The platform without surfaces is tried first; the default display serves drivers that do not know it. */
static EGLDisplay open_display(void) {
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base") &&
        epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
        if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL)) return display;
    }
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL)) return display;
    return EGL_NO_DISPLAY;
}

static EGLContext make_context(EGLDisplay display) {
    static const EGLint wanted[] = {
        EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 5, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    if (!epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context")) return EGL_NO_CONTEXT;
    if (!eglBindAPI(EGL_OPENGL_API)) return EGL_NO_CONTEXT;
    EGLConfig config = EGL_NO_CONFIG_KHR;
    if (!epoxy_has_egl_extension(display, "EGL_KHR_no_config_context")) {
        static const EGLint any[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE};
        EGLint count = 0;
        if (!eglChooseConfig(display, any, &config, 1, &count) || count == 0) return EGL_NO_CONTEXT;
    }
    return eglCreateContext(display, config, EGL_NO_CONTEXT, wanted);
}

bool offscreen_context_create(offscreen_context *made, char *error, size_t error_bytes) {
    EGLDisplay display = open_display();
    if (display == EGL_NO_DISPLAY) {
        snprintf(error, error_bytes, "EGL finds no display, not even one without surfaces");
        return false;
    }
    EGLContext context = make_context(display);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        snprintf(error, error_bytes, "EGL makes no OpenGL 4.5 core context without a surface (error 0x%x)",
                 (unsigned)eglGetError());
        if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
        eglTerminate(display);
        return false;
    }
    made->display = display;
    made->context = context;
    return true;
}

void offscreen_context_destroy(offscreen_context *made) {
    if (made->display == NULL) return;
    eglMakeCurrent(made->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(made->display, made->context);
    eglTerminate(made->display);
    made->display = NULL;
}
