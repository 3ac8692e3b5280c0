"""Prints the values of mica in gdb, without calls into the program: also from a core file.

    (gdb) source tools/gdb/mica.py
    (gdb) print e
    $1 = 0.0 "scout"
    (gdb) print *world
    $2 = world of 1 entity, 2 types, 2 tables, tick 1 = {[0] = type Position: 8 bytes, table, ...}
    (gdb) mica entity e
    0.0 "scout" Position {x = 1, y = 2}

Handles do not name their world. It is taken from the convenience variable $mica_world (set $mica_world = world) if that is
set. Otherwise it is the first world that a variable of the selected frame, of a frame above it, or of the file leads to.

Handles need debug information of the program alone; everything else needs that of the library, too. The structs are those
of src/, in a library that is not built for the tests of mica, which have smaller pages.
"""

import itertools

import gdb
import gdb.printing

# include/mica/detail/view.h: entities per page of slots, rows per sheet, as powers of two.
SLOT_SHIFT = 12
ROW_SHIFT = 10
FREE = 0x80000000  # tags from here on belong to no entity
# Enumerators that debug information lacks: src/state/side.h and src/state/state.h.
SIDE_NAMES, SIDE_FACETS = 0, 1
MODULE_QUERY, MODULE_SYSTEM = 0, 4
HANDLE_BITS = 24  # src/core/stamp.h: the number in other handles, plus one
FRAMES_MAX = 64  # that are searched for a world


def items(array):
    """The items of a MICAI_ARRAY."""
    return (array["items"][i] for i in range(int(array["count"])))


def text(pointer):
    return pointer.string(errors="replace") if pointer else None


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def plural(count, one, many=None):
    return "%d %s" % (count, one if count == 1 else many or one + "s")


def pointer_to(name):
    return gdb.lookup_type(name).pointer()


# The world to look into.


def world_in(value):
    """The world that a value leads to, or None."""
    type = value.type.strip_typedefs()
    if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
        type = value.type.strip_typedefs()
    if type.code == gdb.TYPE_CODE_PTR:
        if not int(value):
            return None
        type = type.target().strip_typedefs()
        if type.name not in ("mica_world", "mica_iter", "mica::world", "mica::face"):
            return None
        value = value.dereference()
    if type.code != gdb.TYPE_CODE_STRUCT:
        return None
    if type.name in ("mica::world", "mica::face"):
        value = value["world_"].dereference()
    elif type.name == "mica_iter":
        value = value["world"].dereference()
    elif type.name != "mica_world":
        return None
    # A variable may be uninitialized, or its world freed.
    return value if int(value["view"]["slots"]) == int(value["state"]["slots"].address) else None


def first_world(values):
    for value in values:
        try:
            world = world_in(value())
        except (gdb.error, RuntimeError):  # not there, not readable, or without debug information
            continue
        if world is not None:
            return world
    return None


def variables():
    """Functions that read the variables which the program has here, the nearest first."""
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        return
    outermost = None
    for _ in range(FRAMES_MAX):
        if frame is None or not frame.is_valid():
            break
        try:
            block = frame.block()
        except RuntimeError:  # a function without debug information
            block = None
        while block is not None and not block.is_static and not block.is_global:
            for symbol in block:
                if symbol.is_variable or symbol.is_argument:
                    yield lambda symbol=symbol, frame=frame: symbol.value(frame)
            outermost = block
            block = block.superblock
        frame = frame.older()
    if outermost is not None:
        for symbol in itertools.chain(outermost.static_block, outermost.global_block):
            if symbol.is_variable and not symbol.needs_frame:
                yield lambda symbol=symbol: symbol.value()


def find_world():
    chosen = gdb.convenience_variable("mica_world")
    if chosen is not None and chosen.type.code != gdb.TYPE_CODE_VOID:
        return first_world([lambda: chosen])
    return first_world(variables())


# Entities and types.


def slot_of(entity):
    return int(entity["bits"]) & 0xFFFFFFFF


def record_of(state, slot):
    """The record of a slot, or None."""
    slots = state["slots"]["view"]
    page = slot >> SLOT_SHIFT
    if page >= int(slots["page_count"]) or not slots["pages"][page]:
        return None
    return slots["pages"][page][slot & ((1 << SLOT_SHIFT) - 1)]


def show_key(world, entity):
    """What a facet is of."""
    state = world["state"]
    for facet in items(side(state, SIDE_FACETS, "micai_facets")["list"]):
        if int(facet["facet"]["bits"]) == int(entity["bits"]):
            number = int(facet["component"])
            types = state["registry"]["list"]
            name = text(types["items"][number]["info"]["name"]) if number < int(types["count"]) else "none"
            owner = show_entity(facet["owner"], world)
            return "facet of %s (%s, %d)" % (owner, name, int(facet["role"]))
    return "facet of nothing"


def is_alive(state, entity):
    record = record_of(state, slot_of(entity))
    tag = int(entity["bits"]) >> 32
    return record is not None and int(record["tag"]) == tag and tag < FREE


def side(state, id, type):
    table = state["sides"][id]["data"]
    return table.cast(pointer_to(type)).dereference() if table else None


def name_of(state, entity):
    names = side(state, SIDE_NAMES, "micai_names")
    if names is not None:
        for name in items(names["list"]):
            if int(name["entity"]["bits"]) == int(entity["bits"]):
                return text(name["text"])
    return None


def show_handle(entity):
    bits = int(entity["bits"])
    return "%d.%d" % (bits & 0xFFFFFFFF, (bits >> 32) - 1) if bits else "none"


def show_entity(entity, world):
    handle = show_handle(entity)
    if world is None or handle == "none":
        return handle
    state = world["state"]
    if not is_alive(state, entity):
        return handle + " (dead)"
    name = name_of(state, entity)
    return handle + " " + quoted(name) if name is not None else handle


def number_of(handle):
    return (int(handle["bits"]) & ((1 << HANDLE_BITS) - 1)) - 1


def type_of(state, handle):
    """The micai_type of a handle, or None."""
    number = number_of(handle)
    types = state["registry"]["list"]
    if number < 0 or number >= int(types["count"]):
        return None
    found = types["items"][number].dereference()
    return found if int(found["info"]["type"]["bits"]) == int(handle["bits"]) else None


def bits_of(words, count):
    for word in range(count):
        value = int(words[word])
        for bit in range(64):
            if value >> bit & 1:
                yield word * 64 + bit


# Values.


def c_type_of(info):
    """The type of a component in the program, or None."""
    for name in (text(info["c_type"]), text(info["name"])):
        for prefix in ("", "struct ", "union ", "enum "):
            try:
                type = gdb.lookup_type(prefix + name) if name else None
            except gdb.error:
                continue
            if type is not None and type.sizeof == int(info["size"]):
                return type
    return None


ELEMENTS = {
    "I8": "signed char", "I16": "short", "I32": "int", "I64": "long long",
    "U8": "unsigned char", "U16": "unsigned short", "U32": "unsigned int", "U64": "unsigned long long",
    "F32": "float", "F64": "double", "BOOL": "unsigned char", "CHAR": "char", "ENTITY": "mica_entity",
}


def show_fields(state, info, data):
    """A value by the fields that its type was registered with."""
    shown = []
    for i in range(int(info["field_count"])):
        field = info["fields"][i]
        begin, size = int(field["offset"]), int(field["size"])
        bytes_of = data[begin : begin + size]
        kind = str(field["kind"]).replace("MICA_KIND_", "")
        count = max(int(field["count"]), 1)
        each = size // count
        values = []
        for element in range(count):
            part = bytes_of[element * each : (element + 1) * each]
            if kind == "STRUCT":
                values.append(show_fields(state, type_of(state, field["type"])["info"], part))
            else:
                c_type = ELEMENTS.get(kind) or {1: "signed char", 2: "short", 4: "int", 8: "long long"}[each]
                value = gdb.Value(part, gdb.lookup_type(c_type))
                values.append(str(int(value)) if kind in ("I8", "U8", "ENUM") else value.format_string())
        if kind == "CHAR":
            values = [quoted(bytes_of.split(b"\0")[0].decode(errors="replace"))]
        shown.append(text(field["name"]) + " = " + (values[0] if len(values) == 1 else "{" + ", ".join(values) + "}"))
    return "{" + ", ".join(shown) + "}" if shown else "{%d bytes}" % len(data)


def show_value(state, type, data):
    """A component by its name, and by its value, if `data` is not None."""
    info = type["info"]
    shown = text(info["name"])
    if data is None:
        return shown
    c_type = c_type_of(info)
    if c_type is not None:
        value = gdb.Value(data, c_type).format_string(max_elements=16)
        return shown + " " + (value if value.startswith("{") else "{" + value + "}")
    return shown + " " + show_fields(state, info, data)


def read(address, size):
    return bytes(gdb.selected_inferior().read_memory(int(address), size))


def cell(table, strip, row):
    """The bytes of a row in a strip."""
    sheet = table["sheets"]["items"][row >> ROW_SHIFT]
    size = int(table["layout"]["strips"][strip]["size"])
    page = sheet["pages"][strip]
    return read(int(page["data"]) + (row & ((1 << ROW_SHIFT) - 1)) * size, size)


def in_ring(slice, row, size):
    length, tip = int(slice["run"]["length"]), int(slice["run"]["tip"])
    if row >= length:
        return int(slice["overflow"]["values"]) + (row - length) * size
    before = length - tip
    place = int(slice["run"]["base"]) + (tip + row if row < before else row - before)
    return int(slice["ring"]["values"]) + place * size


def value_at(table, column, row):
    """The bytes of a value in a table, or None for a tag."""
    layout = table["layout"]
    type = layout["columns"][column]["type"]
    size = int(type["info"]["size"])
    first = int(layout["columns"][column]["strip"])
    if size == 0:
        return None
    if str(type["info"]["storage"]) == "MICA_SPLIT":
        whole = bytearray(size)
        for strip in range(first, first + int(type["field_strip_count"])):
            part = cell(table, strip, row)
            begin = int(layout["strips"][strip]["offset"])
            whole[begin : begin + len(part)] = part
        return bytes(whole)
    if str(type["info"]["storage"]) == "MICA_RING":
        outside = layout["columns"].cast(gdb.lookup_type("void").pointer().pointer())[-1 - column]
        return read(in_ring(outside.cast(pointer_to("micai_ring_slice")).dereference(), row, size), size)
    return cell(table, first, row)


def is_off(table, column, row):
    """Whether a value is disabled."""
    layout = table["layout"]
    last = int(layout["columns"][column]["strip"]) + int(layout["columns"][column]["strip_count"]) - 1
    return bool(layout["strips"][last]["flags"]) and cell(table, last, row)[0] != 0


def off(shown, table, column, row):
    return shown + (" (disabled)" if column and is_off(table, column, row) else "")


def entity_of_row(table, row):
    ids = table["sheets"]["items"][row >> ROW_SHIFT]["pages"][0]["data"]
    return ids.cast(pointer_to("mica_entity"))[row & ((1 << ROW_SHIFT) - 1)]


def types_of_table(state, table):
    """The types of a table, without the one that marks facets."""
    types = state["registry"]["list"]["items"]
    hidden = int(state["registry"]["hidden"])
    return [types[n] for n in bits_of(table["words"], int(table["word_count"])) if n != hidden]


def show_row(world, table, row, pools=True):
    """An entity with its components."""
    state = world["state"]
    entity = entity_of_row(table, row)
    shown = [show_entity(entity, world)]
    layout = table["layout"]
    columns = {int(layout["columns"][c]["type"]["number"]): c for c in range(1, int(layout["column_count"]))}
    if table["facet"]:
        shown.append(show_key(world, entity))
    for type in types_of_table(state, table):
        column = columns.get(int(type["number"]), 0)
        data = value_at(table, column, row) if column else None
        shown.append(off(show_value(state, type, data), table, column, row))
    slot = slot_of(entity)
    for pool in items(state["pools"]["list"]) if pools else ():
        place = row_in_pool(pool, slot)
        if place is not None:
            data = value_in_pool(pool, place)
            shown.append(off(show_value(state, pool["type"], data), pool["table"], int(pool["column"]), place))
    return " ".join(shown)


def row_in_pool(pool, slot):
    view = pool["index"]["view"]
    page = slot >> SLOT_SHIFT
    if page >= int(view["leaf_count"]) or not view["leaves"][page]:
        return None
    row = int(view["leaves"][page][slot & ((1 << SLOT_SHIFT) - 1)]) - 1
    return row if row >= 0 else None


def value_in_pool(pool, row):
    view = pool["index"]["view"]
    size, shift = int(view["size"]), int(view["block_shift"])
    if size == 0:
        return None
    block = view["blocks"][row >> shift]
    return read(int(block["data"]) + (row & ((1 << shift) - 1)) * size, size)


def show_table(state, table):
    names = [text(type["info"]["name"]) for type in types_of_table(state, table)]
    what = "table %d of facets" if table["facet"] else "table %d"
    shown = what % int(table["id"]) + ": " + plural(int(table["count"]), "row")
    return shown + (" of " + ", ".join(names) if names else "")


def show_pool(pool):
    count = int(pool["table"]["count"]) - int(pool["index"]["hole_count"])
    return "pool of %s: %s" % (text(pool["type"]["info"]["name"]), plural(count, "entity", "entities"))


def show_world(world):
    state = world["state"]
    facets = side(state, SIDE_FACETS, "micai_facets")
    facet_count = int(facets["count"]) if facets is not None else 0
    parts = [plural(int(state["slots"]["alive"]) - facet_count, "entity", "entities")]
    if facet_count:
        parts.append(plural(facet_count, "facet"))
    hidden = int(state["registry"]["hidden"]) != 0xFFFFFFFF
    parts.append(plural(int(state["registry"]["list"]["count"]) - hidden, "type"))
    parts.append(plural(int(state["store"]["tables"]["count"]), "table"))
    parts.append("tick %d" % int(world["view"]["tick"]))
    return ("recording world" if world["recorder"] else "world") + " of " + ", ".join(parts)


def world_parts(world):
    """What a world consists of, as text."""
    state = world["state"]
    for type in items(state["registry"]["list"]):
        if int(type["number"]) != int(state["registry"]["hidden"]):
            info = type["info"]
            storage = str(info["storage"]).replace("MICA_", "").lower()
            yield "type " + text(info["name"]) + ": " + plural(int(info["size"]), "byte") + ", " + storage
    for table in items(state["store"]["tables"]):
        if int(table["count"]):
            yield show_table(state, table.dereference())
    for pool in items(state["pools"]["list"]):
        if pool:
            yield show_pool(pool)


# Printers.


class Entity:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        try:
            return show_entity(self.value, find_world())
        except gdb.error:  # a world that is overwritten
            return show_handle(self.value)


class Type:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        if int(self.value["bits"]) == 0:
            return "none"
        world = find_world()
        if world is None:
            return "type %d" % number_of(self.value)
        type = type_of(world["state"], self.value)
        return text(type["info"]["name"]) if type is not None else "unknown type"


class TypeSet:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        value = self.value
        inline = value["words"].type.range()[1] + 1
        numbers = list(bits_of(value["words"], inline))
        numbers += [inline * 64 + n for n in bits_of(value["more"], int(value["more_count"]))]
        world = find_world()
        names = [str(n) for n in numbers]
        if world is not None:
            types = world["state"]["registry"]["list"]
            for i, number in enumerate(numbers):
                if number < int(types["count"]):
                    names[i] = text(types["items"][number]["info"]["name"])
        return "{" + ", ".join(names) + "}"


class Named:
    """A handle of a query, system or phase, by name."""

    def __init__(self, value):
        self.value = value

    def find(self, state):
        """The object of the handle, or None."""
        data = state["modules"][self.module]["data"]
        if not data:
            return None
        list = data.cast(pointer_to(self.table)).dereference()[self.member]["list"]
        number = number_of(self.value)
        if number < 0 or number >= int(list["count"]) or not list["items"][number]:
            return None
        found = list["items"][number].cast(pointer_to(self.object)).dereference()
        return found if int(found["handle"]["bits"]) == int(self.value["bits"]) else None

    def to_string(self):
        if int(self.value["bits"]) == 0:
            return "none"
        world = find_world()
        if world is None:
            return "%s %d" % (self.what, number_of(self.value))
        found = self.find(world["state"])
        if found is None:
            return "unknown " + self.what
        name = text(self.name(found))
        return self.what + " " + (quoted(name) if name else str(number_of(self.value)))


class Query(Named):
    what, module, table, member, object = "query", MODULE_QUERY, "micai_queries", "handles", "micai_query"

    def name(self, found):
        return found["name"]


class System(Named):
    what, module, table, member, object = "system", MODULE_SYSTEM, "micai_systems", "systems", "micai_system"

    def name(self, found):
        return found["declared"]["system"]


class Phase(Named):
    what, module, table, member, object = "phase", MODULE_SYSTEM, "micai_systems", "phase_handles", "micai_phase"

    def name(self, found):
        return found["name"]


class World:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return show_world(self.value)

    def children(self):
        for number, part in enumerate(world_parts(self.value)):
            yield "[%d]" % number, part


class Table:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        world = find_world()
        if world is None:
            return "table %d: %s" % (int(self.value["id"]), plural(int(self.value["count"]), "row"))
        return show_table(world["state"], self.value)

    def children(self):
        world = find_world()
        for row in range(int(self.value["count"])) if world is not None else ():
            yield "[%d]" % row, show_row(world, self.value, row, False)


class Iter:
    """The rows of a segment: the entities, and the values of each term, as arrays."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        walk = self.value["walk"]
        name = text(walk["name"]) if walk else None
        return "segment of " + plural(int(self.value["count"]), "row") + (", query " + quoted(name) if name else "")

    def children(self):
        count = int(self.value["count"])
        if not self.value["walk"] or count == 0:
            return
        if self.value["entities"]:
            yield "entities", rows(self.value["entities"], count)
        query = self.value["walk"]["query"]
        for term in range(int(query["term_count"])):
            info = query["terms"][term]["type"]["info"]
            values, c_type = self.value["pointers"][term], c_type_of(info)
            if values and c_type is not None and int(info["size"]):
                yield text(info["name"]), rows(values.cast(c_type.pointer()), count)


class RowRange:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        count, row, changed = (int(self.value[name]) for name in ("count", "row", "changed"))
        return "%s from row %d on, changed at tick %d" % (plural(count, "row"), row, changed)

    def children(self):
        if int(self.value["count"]) and self.value["entities"]:
            yield "entities", rows(self.value["entities"], int(self.value["count"]))


class Array:
    """A MICAI_ARRAY."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "%d of %d" % (int(self.value["count"]), int(self.value["capacity"]))

    def children(self):
        for number, item in enumerate(items(self.value)):
            yield "[%d]" % number, item

    def display_hint(self):
        return "array"


def rows(pointer, count):
    """The values at a pointer, as an array."""
    return pointer.cast(pointer.type.target().array(count - 1).pointer()).dereference()


class ArrayPrinter(gdb.printing.PrettyPrinter):
    def __init__(self):
        super().__init__("mica-array")

    def __call__(self, value):
        type = value.type.strip_typedefs()
        if type.code == gdb.TYPE_CODE_STRUCT and not type.name:
            if [field.name for field in type.fields()] == ["items", "count", "capacity"]:
                return Array(value)
        return None


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("mica")
    for name, printer in (
        ("mica_entity", Entity),
        ("mica_type", Type),
        ("mica_type_set", TypeSet),
        ("mica_query", Query),
        ("mica_system", System),
        ("mica_phase", Phase),
        ("mica_world", World),
        ("micai_table", Table),
        ("mica_iter", Iter),
        ("mica_row_range", RowRange),
    ):
        collection.add_printer(name, "^%s$" % name, printer)
    return collection


# Commands.


def world_or_fail(expression=""):
    values = [lambda: gdb.parse_and_eval(expression)] if expression else None
    world = first_world(values) if values else find_world()
    if world is None:
        raise gdb.GdbError("There is no world here, or no debug information of the library. Try: set $mica_world = EXPRESSION")
    return world


class Mica(gdb.Command):
    """Shows worlds of mica."""

    def __init__(self):
        super().__init__("mica", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


class MicaWorld(gdb.Command):
    """mica world [WORLD]: shows the types of a world, and its tables and pools with their numbers of rows."""

    def __init__(self):
        super().__init__("mica world", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        world = world_or_fail(argument)
        print(show_world(world))
        for part in world_parts(world):
            print("  " + part)


class MicaEntity(gdb.Command):
    """mica entity ENTITY: shows an entity with its components. ENTITY is a handle, or the number of a slot."""

    def __init__(self):
        super().__init__("mica entity", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        world = world_or_fail()
        state = world["state"]
        value = gdb.parse_and_eval(argument)
        handle = value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT
        record = record_of(state, slot_of(value) if handle else int(value))
        if handle and not is_alive(state, value):
            print(show_entity(value, world))
        elif record is None or int(record["tag"]) >= FREE:
            print("slot %s is free" % int(value))
        else:
            where = int(record["where"])
            sheet = state["store"]["sheets"]["items"][where >> ROW_SHIFT]
            row = int(sheet["index"]) << ROW_SHIFT | where & ((1 << ROW_SHIFT) - 1)
            print(show_row(world, sheet["table"].dereference(), row))


class MicaTable(gdb.Command):
    """mica table NUMBER [FIRST [COUNT]]: shows rows of a table: 20 from the first on, unless told otherwise."""

    def __init__(self):
        super().__init__("mica table", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        world = world_or_fail()
        numbers = [int(gdb.parse_and_eval(word)) for word in gdb.string_to_argv(argument)]
        number, first, count = (numbers + [0, 20][len(numbers) - 1 :])[:3] if numbers else (None, 0, 0)
        tables = world["state"]["store"]["tables"]
        if number is None or not 0 <= number < int(tables["count"]):
            raise gdb.GdbError("mica table takes the number of a table; mica world lists them.")
        table = tables["items"][number].dereference()
        print(show_table(world["state"], table))
        for row in range(first, min(first + count, int(table["count"]))):
            print("  [%d] %s" % (row, show_row(world, table, row)))


for command in (Mica, MicaWorld, MicaEntity, MicaTable):
    command()
gdb.printing.register_pretty_printer(None, printers(), True)
gdb.printing.register_pretty_printer(None, ArrayPrinter(), True)
