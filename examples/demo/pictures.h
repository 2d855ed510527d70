/* SPDX-License-Identifier: MIT */
/* Pictures of the flight: hands every frame's copies, pages and draws to the off-screen renderer and draws when
 * asked. */
#ifndef DEMO_PICTURES_H
#define DEMO_PICTURES_H

#include "catalog.h"
#include "demo_record.h"
#include "flight.h"
#include "scene.h"

typedef struct pictures pictures;

/* NULL and a line of text where this machine cannot draw. */
pictures *pictures_create(trn_world *world, const catalog *models, const trn_model_id *ids, char error[512]);
void pictures_destroy(pictures *p);
const char *pictures_device(const pictures *p);

/* Every frame: what the update moved goes to the GPU. */
void pictures_follow(pictures *p, const trn_world *world);

/* Draws the frame in both modes, writes FOLDER/frame_NNN_shaded.png and FOLDER/frame_NNN_levels.png, and fills the
 * record. */
bool pictures_take(pictures *p, const trn_world *world, const trn_view *view, const flight_pose *pose,
                   const double origin[3], const char *folder, uint32_t frame, record_picture *picture);

#endif
