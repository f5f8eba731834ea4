/* A small model with random weights. */
#ifndef CONTRASTIVE_TESTS_CAPI_MODELS_H
#define CONTRASTIVE_TESTS_CAPI_MODELS_H

#include "support.h"

static cs_model *load_bert(void) {
  cs_error *error = NULL;
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  if (model == NULL) fail_msg("%s", cs_error_message(error));
  return model;
}

#endif
