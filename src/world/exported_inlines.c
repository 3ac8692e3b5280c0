// The functions whose bodies stand in public headers, compiled once more: exported under the same names,
// for bindings, which have no compiler for C at hand. MICA_INLINE, which marks them, is `static inline`
// for everybody else; so no caller in C or C++ ever links this file.
#define MICA_TWINS

#include <mica/accessor.h>
#include <mica/component.h>
#include <mica/entity.h>
#include <mica/event.h>
#include <mica/facet.h>
#include <mica/field.h>
#include <mica/group.h>
#include <mica/model.h>
#include <mica/observer.h>
#include <mica/phase.h>
#include <mica/query.h>
#include <mica/resource.h>
#include <mica/system.h>
#include <mica/type.h>
