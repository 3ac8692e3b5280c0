// Resources (singletons): one value per world, such as its gravity, the score, a grid of cells.
// Resource types are registered like component types, with fields and hooks. One type can be both.
//
//   mica_type gravity = MICA_REGISTER(world, Gravity, x, y);
//   mica_resource_set(world, MICA_VALUE(gravity, Gravity, 0, -9.81f));
//   const Gravity *g = MICA_RESOURCE(world, gravity, Gravity); // in a system: it->world
//
// A resource keeps its address until it is removed, an image is loaded (mica/image.h) or the world
// is freed. [resource.address] All functions here can be called at any time, also during iteration,
// but not in hooks. Functions that change resources also fail in error handlers and on a recording
// world (mica/command.h). [resource.any_time] A system may use only resources that it declares
// (mica_system_desc.resources). Others fail with MICA_ERROR_UNDECLARED. [resource.declared]
// mica_world_clear() keeps resources; mica_world_hash() includes them. [resource.world]
#ifndef MICA_RESOURCE_H
#define MICA_RESOURCE_H

#include <mica/component.h>

#ifdef __cplusplus
extern "C" {
#endif

// Sets these resources, and adds missing ones. [resource.set] Values are copied, like component
// values. A value without data means the type's default. [resource.copied] Sets all or
// none. [resource.all_or_none]
//
// Fails with MICA_ERROR_NULL, _TYPE, _MEMORY, _HOOK. Fails with _SIZE also for a tag, which has no
// value. Fails with _ARGUMENT for a type that is listed twice, and as described at
// mica_value. [resource.set_fail] mica_resource_set(world, values...) takes a list of
// values. [resource.list] O(values); if some cannot be copied, each of these is compared with all
// others. [resource.set_cost]
MICA_API mica_result mica_resource_set_values(mica_world *world, const mica_value *values,
                                              uint32_t count);

// Returns a pointer to the value, to read or to write. Returns NULL, without an error, if the world
// does not have the resource. [resource.get] O(1). [resource.get_cost] The `_as` forms also check
// the C type: MICA_ERROR_SIZE if its size differs, and MICA_ERROR_C_TYPE if its name differs,
// unless `c_type` is NULL. [resource.as]
MICA_API const void *mica_resource_get(mica_world *world, mica_type type);
MICA_API void *mica_resource_get_mut(mica_world *world, mica_type type);
MICA_API const void *mica_resource_get_as(mica_world *world, mica_type type, uint32_t size,
                                          const char *c_type);
MICA_API void *mica_resource_get_mut_as(mica_world *world, mica_type type, uint32_t size,
                                        const char *c_type);

// Removes the resource and destroys its value. Does nothing if there is no such
// resource. [resource.remove]
MICA_API mica_result mica_resource_remove(mica_world *world, mica_type type);

#ifdef __cplusplus
}

#include <mica/hpp/resource.hpp>

#else

#define mica_resource_set(world, ...) mica_resource_set_values(world, MICA_VALUES_(__VA_ARGS__))

#endif

#define MICA_RESOURCE(world, type, T)                                                              \
    (MICA_CAST_(                                                                                   \
        MICA_CONST_(T) *,                                                                          \
        mica_resource_get_as(world, type, MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))
#define MICA_RESOURCE_MUT(world, type, T)                                                          \
    (MICA_CAST_(T *, mica_resource_get_mut_as(world, type, MICA_CAST_(uint32_t, sizeof(T)),        \
                                              MICA_C_TYPE_(T))))

#endif
