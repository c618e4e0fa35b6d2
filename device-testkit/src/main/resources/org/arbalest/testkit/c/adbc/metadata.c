// SPDX-License-Identifier: Apache-2.0
/* What the functions for metadata have in common. */
#include "metadata.h"

#include <string.h>

static const char* after(const char* text) {
  do text++; while ((*text & 0xC0) == 0x80);
  return text;
}

int pattern_matches(const char* pattern, const char* text) {
  if (*pattern == 0) return *text == 0;
  if (*pattern == '%') {
    while (!pattern_matches(pattern + 1, text)) {
      if (*text == 0) return 0;
      text = after(text);
    }
    return 1;
  }
  if (*text == 0) return 0;
  if (*pattern == '_') return pattern_matches(pattern + 1, after(text));
  return *pattern == *text && pattern_matches(pattern + 1, text + 1);
}

int filter_matches(const char* filter, const char* text) {
  if (filter == NULL) return 1;
  if (*filter == 0) return text == NULL;
  return text != NULL && pattern_matches(filter, text);
}

int place_at(const struct view* view, int i, struct place* out) {
  if (i < n_places) *out = places[i];
  else *out = (struct place){NULL, NULL};
  return i < n_places || (i == n_places && view->temporary->n > 0);
}

struct table* table_at(const struct view* view, struct place place, const char* filter, int i) {
  const struct catalog* catalog = place.catalog == NULL ? view->temporary : view->shared;
  for (int t = 0; t < catalog->n; t++) {
    const struct definition* definition = catalog->tables[t]->definition;
    int is_here = place.catalog == NULL || (strcmp(definition->catalog, place.catalog) == 0 && strcmp(definition->schema, place.schema) == 0);
    if (is_here && filter_matches(filter, definition->name) && i-- == 0) return catalog->tables[t];
  }
  return NULL;
}
