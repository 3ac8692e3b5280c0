// Exports the inline functions of the public headers under their own names, for bindings of other
// languages. MICA_INLINE is `static inline` everywhere else, so callers in C or C++ never link this
// file.
//
// Room:    world.
#define MICA_EXPORT_INLINES

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
