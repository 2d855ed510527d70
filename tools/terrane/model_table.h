/* SPDX-License-Identifier: MIT */
/* The tables of a model, for a person and for programs; `terrane cook` and `terrane info` show them alike. */
#ifndef TOOL_MODEL_TABLE_H
#define TOOL_MODEL_TABLE_H

#include "json_write.h"

#include <terrane/model.h>

const char *error_rule_name(trn_error_rule rule);

void model_table_levels(const trn_model *model);
void model_table_pages(const trn_model *model);
void model_table_chunks(const trn_model *model);
void model_table_materials(const trn_model *model);

/* Each writes the key "levels", "pages", "chunks" or "materials". */
void model_json_levels(const trn_model *model, json *j);
void model_json_pages(const trn_model *model, json *j);
void model_json_chunks(const trn_model *model, json *j);
void model_json_materials(const trn_model *model, json *j);

/* Errors: none is null, or "-". */
void model_json_error(json *j, const char *key, float error);

#endif
