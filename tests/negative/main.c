// What the library says no to.
#include "runner/test.h"

SUITES(codes, table_c_type, table_change, table_command, table_component, table_delta, table_entity,
       table_event, table_facet, table_group, table_image, table_inspect, table_observer,
       table_print, table_query, table_relation, table_resource, table_stream, table_system,
       table_tape, table_thread, table_time, table_toggle, table_trace, table_type, table_world)
