# What the test does in gdb; $mica_py is tools/gdb/mica.py. Lines of the expected output begin with "> ".
set width 0
set print elements 12
set debuginfod enabled off
set startup-with-shell off
python gdb.execute("source " + gdb.convenience_variable("mica_py").string())
python
import gdb

class Show(gdb.Command):
    """show-case COMMAND: what the command prints, or its error, after its name."""

    def __init__(self):
        super().__init__("show-case", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        try:
            out = gdb.execute(argument, to_string=True)
        except gdb.error as error:
            out = str(error)
        for line in ["(gdb) " + argument] + out.rstrip("\n").split("\n"):
            print("> " + line)

Show()
end

break stop_here
break stop_in_system
run
show-case output s->scout
show-case output s->hunter
show-case output s->dead
show-case output s->none
show-case output s->position
show-case output s->none_type
show-case output s->moving
show-case output s->system
show-case output s->phase
show-case output s->set
show-case output s->range
show-case output *s->world
show-case mica world s->world
show-case mica entity s->scout
show-case mica entity s->hunter
show-case mica entity s->dead
show-case mica entity 1
show-case mica entity 2
show-case mica entity 1499
show-case mica entity 5000000
show-case mica table 1
show-case mica table 4 1023 2
show-case mica table 5
show-case mica world s
show-case output *s->world->state->store.tables.items[3]
show-case output s->world->state->registry.column_words
# A variable named in main leads to the world; one of them is null.
frame function main
show-case output s.scout
# What was chosen counts, even where nothing leads to it: and nothing is shown of a world that is none.
set $mica_world = (mica_world *)&s
show-case output s.scout
show-case output s.position
show-case mica world
set $mica_world = world
continue
show-case output *it
show-case mica entity 0
python gdb.execute("generate-core-file " + gdb.convenience_variable("core").string())
kill
