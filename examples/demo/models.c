/* SPDX-License-Identifier: MIT */
#include "models.h"

#include <stddef.h>

const demo_model demo_models[] = {
    /* name, file, up axis, height, colour, shares: beach forest meadow heights town */
    {"dragon", "", DEMO_UP_Y, 16.0f, {0.16f, 0.27f, 0.19f}, {0, 0, 0, 0, 0}},
    {"monkey", "BLEND/SuzanneSubdiv_252.blend", DEMO_UP_Y, 3.2f, {0.29f, 0.16f, 0.09f}, {0, 0, 1, 1, 0}},
    {"house", "IFC/AC14-FZK-Haus.ifc", DEMO_UP_Y, 9.0f, {0.37f, 0.34f, 0.29f}, {0, 0, 0, 0, 0}},
    {"tree", NULL, DEMO_UP_Y, 11.0f, {0.85f, 0.85f, 0.85f}, {0, 800, 30, 6, 0}},
    {"rock", NULL, DEMO_UP_Y, 1.6f, {0.80f, 0.80f, 0.80f}, {16, 14, 18, 90, 0}},
    {"engine",
     "glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb",
     DEMO_UP_Y,
     3.0f,
     {0.21f, 0.22f, 0.23f},
     {6, 0, 1, 0, 10}},
    {"human", "Collada/human.zae", DEMO_UP_Y, 1.75f, {0.33f, 0.24f, 0.19f}, {4, 2, 7, 1, 130}},
    {"walker", "Q3D/E-AT-AT.q3o", DEMO_UP_Z, 15.0f, {0.26f, 0.27f, 0.28f}, {1, 0, 2, 3, 0}},
    {"figure", "BLEND/HUMAN.blend", DEMO_UP_Z, 1.8f, {0.30f, 0.22f, 0.17f}, {3, 1, 5, 0, 90}},
    {"sauropod", "X/fromtruespace_bin32.x", DEMO_UP_Y, 7.0f, {0.18f, 0.23f, 0.18f}, {1, 1, 6, 1, 0}},
    {"duck", "Collada/duck.dae", DEMO_UP_Y, 0.9f, {0.42f, 0.33f, 0.06f}, {22, 1, 3, 0, 50}},
    {"bison", "PLY/Wuson.ply", DEMO_UP_Y, 2.2f, {0.17f, 0.12f, 0.08f}, {3, 7, 17, 2, 0}},
    {"mechanic", "IQM/mrfixit.iqm", DEMO_UP_Y, 1.9f, {0.12f, 0.17f, 0.27f}, {2, 0, 3, 0, 80}},
    {"truck", "glTF/CesiumMilkTruck/CesiumMilkTruck.gltf", DEMO_UP_Y, 2.6f, {0.38f, 0.38f, 0.36f}, {1, 0, 2, 0, 40}},
    {"jeep", "MS3D/jeep1.ms3d", DEMO_UP_Y, 2.0f, {0.17f, 0.19f, 0.12f}, {4, 1, 2, 0, 40}},
    {"spider", "OBJ/spider.obj", DEMO_UP_Y, 1.4f, {0.07f, 0.06f, 0.06f}, {0, 13, 3, 4, 0}},
    {"dwarf", "COB/dwarf.cob", DEMO_UP_Z, 1.3f, {0.27f, 0.14f, 0.10f}, {1, 4, 4, 1, 60}},
    {"teapots", "Collada/teapots.DAE", DEMO_UP_Y, 0.8f, {0.32f, 0.32f, 0.34f}, {1, 0, 1, 0, 40}},
    {"goblet", "SMD/holy_grailref.smd", DEMO_UP_Z, 1.0f, {0.37f, 0.29f, 0.09f}, {1, 0, 1, 0, 30}},
};

const uint32_t demo_model_count = sizeof demo_models / sizeof demo_models[0];
