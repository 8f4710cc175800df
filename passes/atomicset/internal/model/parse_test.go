package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
)

// A construct is the body of a procedure p, in a model with an empty procedure
// q, and its flow.
type construct struct{ name, body, want string }

var constructs = []construct{
	{"nothing", ``, "-> return"},
	{"lock", `lock m`, "-> lock m; lock m -> return"},
	{"rlock", `rlock m`, "-> rlock m; rlock m -> return"},
	{"unlock", `unlock m`, "-> unlock m; unlock m -> return"},
	{"runlock", `runlock m`, "-> runlock m; runlock m -> return"},
	{"wait", `wait m`, "-> wait m; wait m -> return"},
	{"read", `read x`, "-> read x; read x -> return"},
	{"write", `write x`, "-> write x; write x -> return"},
	{"unit", `begin end`, "-> begin; begin -> end; end -> return"},
	{"try", `try retry x`, "-> try; try -> retry; retry -> return"},
	{"call", `call q`, "-> call q; call q -> return"},
	{"call of itself", `call p`, "-> call p; call p -> return"},
	{"start", `start q`, "-> start q; start q -> return"},
	{"join", `join q`, "-> join q; join q -> return"},
	{"skip", `skip`, "-> return"},
	{"return", `return`, "-> return"},
	{"stop", `read x stop`, "-> read x; read x -> stop"},
	{"stop at once", `stop`, "-> stop"},
	{"what follows a stop", `read x stop write x`, "-> read x; read x -> stop"},
	{"what follows a return", `return write x`, "-> return"},
	{"several names", `lock m lock n read x read y unlock n unlock m`,
		"-> lock m; lock m -> lock n; lock n -> read x; read x -> read y; read y -> unlock n; unlock n -> unlock m; unlock m -> return"},
	{"choice", `choice { read x } or { write x } read y`,
		"-> read x, write x; read x -> read y; write x -> read y; read y -> return"},
	{"choice of three, one of them long and one empty", `choice { read x read y } or { } or { write x } read z`,
		"-> read x, read z, write x; read x -> read y; read z -> return; write x -> read z; read y -> read z"},
	{"choice with ends of all kinds", `choice { return } or { read x stop } or { goto L } or { write x } L: read y`,
		"-> read x, read y, return, write x; read x -> stop; read y -> return; write x -> read y"},
	{"choice after which nothing comes", `choice { read x return } or { read y return }`, "-> read x, read y; read x -> return; read y -> return"},
	{"choice in a choice", `choice { choice { read x } or { read y } } or { write x }`,
		"-> read x, read y, write x; read x -> return; read y -> return; write x -> return"},
	{"loop", `loop { read x }`, "-> read x, return; read x -> read x, return"},
	{"loop of nothing", `loop { }`, "-> return"},
	{"loop in a loop", `loop { loop { read x } write x }`,
		"-> read x, return, write x; read x -> read x, write x; write x -> read x, return, write x"},
	{"choice in a loop", `loop { choice { read x } or { write x } or { } }`,
		"-> read x, return, write x; read x -> read x, return, write x; write x -> read x, return, write x"},
	{"break and continue", `
		loop {
			read a
			choice { goto done } or { goto again } or { read x }
			read b
			again:
		}
		read c
		done: write x`,
		"-> read a, read c; read a -> read a, read c, read x, write x; read c -> write x; read x -> read b; write x -> return; read b -> read a, read c"},
	{"goto back", `L: read x goto L`, "-> read x; read x -> read x"},
	{"goto any of several", "L: read x\ngoto L M\nread y\nM: write x", "-> read x; read x -> read x, write x; write x -> return"},
	{"goto first", "goto L\nread x\nL: write x", "-> write x; write x -> return"},
	{"goto into a loop", "goto L\nloop { read x L: write x }",
		"-> write x; write x -> read x, return; read x -> write x"},
	{"two labels of one place", "choice { goto L } or { goto M }\nread y\nL: M: read x", "-> read x; read x -> return"},
	{"label at the end", "read x\ngoto L\nread y\nL:", "-> read x; read x -> return"},
	{"label at the end of a branch", "choice { read a\ngoto L } or { read b L: }\nwrite a", "-> read a, read b; read a -> write a; read b -> write a; write a -> return"},
	{"label of a choice", "L: choice { read x } or { goto L }", "-> read x; read x -> return"},
	{"label of a loop", "read x\nL: loop { read y }\nchoice { goto L } or { }",
		"-> read x; read x -> read y, return; read y -> read y, return"},
	{"label of a goto", "read a\nL: goto M\nwrite b\nM: write a\ngoto L", "-> read a; read a -> write a; write a -> write a"},
	{"label of a goto that comes later", "goto L\nM: read b\nstop\nL: goto M\nwrite b", "-> read b; read b -> stop"},
	{"label of a goto in a loop", "loop { read a\ngoto L\nL: goto M\nwrite b }\nM: write a",
		"-> read a, write a; read a -> write a; write a -> return"},
	{"label of a stop", "read a\ngoto L\nL: stop\nwrite a", "-> read a; read a -> stop"},
	{"label of a stop at the end", "read a\ngoto L\nL: stop", "-> read a; read a -> stop"},
	{"label of a return", "choice { goto L } or { read a }\nreturn\nL: return", "-> read a, return; read a -> return"},
	{"label with the name of a statement", "read: read x goto read", "-> read x; read x -> read x"},
	{"comment", "read x # write x }\n# nothing\nwrite y#", "-> read x; read x -> write y; write y -> return"},
	{"unit with a choice", `begin choice { read x end } or { end } write x`,
		"-> begin; begin -> end, read x; end -> write x; read x -> end; write x -> return"},
	{"unit in a unit", `begin read x begin read y end end`,
		"-> begin; begin -> read x, read y; read x -> begin; read y -> end; end -> end, return"},
	{"unit that is not ended where the process stops", `begin read x stop`, "-> begin; begin -> read x; read x -> stop"},
}

func (c construct) text() string { return "process a = p\nproc p {\n" + c.body + "\n}\nproc q { }\n" }

// A flow is what can come after each step of a procedure, by what the steps do:
// steps that do the same are taken together, and those that do nothing are left
// out. The beginning of the procedure has no name.
type flow struct {
	m     *model.Model
	p     *model.Proc
	order []string
	next  map[string][]string
}

func flowOf(m *model.Model, p *model.Proc) string {
	f := &flow{m: m, p: p, next: make(map[string][]string)}
	done := make(map[int]bool)
	work := f.after("", []int{0})
	for ; len(work) > 0; work = work[1:] {
		if i := work[0]; !done[i] {
			done[i] = true
			work = append(work, f.after(f.name(i), p.Nodes[i].Succs)...)
		}
	}
	var lines []string
	for _, name := range f.order {
		slices.Sort(f.next[name])
		lines = append(lines, strings.TrimSpace(name+" -> "+strings.Join(slices.Compact(f.next[name]), ", ")))
	}
	return strings.Join(lines, "; ")
}

// after records what comes after a step, and returns the nodes.
func (f *flow) after(name string, succs []int) []int {
	if strings.HasSuffix(name, "return") {
		return nil
	}
	var out []int
	seen := make(map[int]bool)
	var visit func(succs []int)
	visit = func(succs []int) {
		if len(succs) == 0 {
			f.add(name, "stop")
		}
		for _, s := range succs {
			switch {
			case seen[s]:
			case f.p.Nodes[s].Op == model.Skip:
				seen[s] = true
				visit(f.p.Nodes[s].Succs)
			default:
				seen[s] = true
				f.add(name, f.name(s))
				out = append(out, s)
			}
		}
	}
	visit(succs)
	return out
}

func (f *flow) add(from, to string) {
	if f.next[from] == nil {
		f.order = append(f.order, from)
	}
	f.next[from] = append(f.next[from], to)
}

func (f *flow) name(i int) string {
	n := f.p.Nodes[i]
	return strings.TrimSpace(n.Op.String() + " " + argument(f.m, n))
}

// sorted returns the parts of a flow in the order of the names.
func sorted(flow string) string {
	parts := strings.Split(flow, "; ")
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

func TestParse(t *testing.T) {
	for _, c := range constructs {
		t.Run(c.name, func(t *testing.T) {
			m, err := parseSafely(c.text())
			if err != nil {
				t.Fatal(err)
			}
			if got, want := sorted(flowOf(m, m.Procs[0])), sorted(c.want); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestNodes has what the flow does not tell: how many steps there are.
func TestNodes(t *testing.T) {
	m := parse(t, "proc p { skip read x read x }")
	if got, want := dump(m, m.Procs[0]), "0 skip -> 1\n1 read x -> 2\n2 read x -> 3\n3 return ->"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPositions(t *testing.T) {
	m := parse(t, "# nothing\nproc p {\n\tlock m\n\n\tread x unlock m\n\tchoice {\n\t\twrite\n\t\tx\n\t} or { }\n}")
	want := map[model.Op]int{model.Lock: 3, model.Read: 5, model.Unlock: 5, model.Skip: 6, model.Write: 8}
	for _, n := range m.Procs[0].Nodes {
		if line, ok := want[n.Op]; ok && int(n.Pos) != line {
			t.Errorf("%v is in line %d, want %d", n.Op, n.Pos, line)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no proc", "skip", `line 1: found "skip" instead of process or proc`},
		{"unknown statement", "proc p {\n\tread x\n\tfrobnicate\n\tread x\n}", `line 3: unknown statement "frobnicate"`},
		{"unknown statement with an argument", "proc p {\n\tfrobnicate x\n}", `line 2: unknown statement "frobnicate"`},
		{"unknown statement at the end", "proc p {\n\tread x\n\tfrobnicate", `line 3: unknown statement "frobnicate"`},
		{"statement outside", "proc p {\n}\n\nread x", `line 4: found "read" instead of process or proc`},
		{"no brace", "proc p\n\tread x\n}", `line 2: found "read" instead of "{"`},
		{"open proc", "proc p {\n\tread x\n\tread y\n", "line 3: a } is missing"},
		{"open choice", "proc p {\n\tchoice {\n\t\tread x\n}", "line 4: a } is missing"},
		{"brace too many", "proc p {\n}\n}", `line 3: found "}" instead of process or proc`},
		{"choice of nothing", "proc p {\n\tchoice\n}", `line 3: found "}" instead of "{"`},
		{"or of nothing", "proc p {\n\tchoice { } or\n\tread x }", `line 3: found "read" instead of "{"`},
		{"no label", "proc p {\n\tgoto\n\tread x\n}", "line 2: goto needs a label"},
		{"unknown label", "proc p {\nL:\n\tgoto L M\n\tread x\n}", "line 3: there is no label M"},
		{"label of another proc", "proc p {\nL: read x\n}\nproc q {\n\tgoto L\n}", "line 5: there is no label L"},
		{"two labels", "proc p {\nL:\n\tread x\nL:\n\tread x\n}", "line 4: there are two labels L"},
		{"two procs", "proc p { }\nproc q { }\nproc p { }", "line 3: there are two procs p"},
		{"two procs, brace in another line", "proc p { }\nproc p\n{ }", "line 2: there are two procs p"},
		{"proc without a name", "proc {\n}", `line 1: found "{" instead of a name`},
		{"process without a name", "process = p", `line 1: found "=" instead of a name`},
		{"process without an equals sign", "process a\np", `line 2: found "p" instead of "="`},
		{"process without a proc", "process a =\n\nproc p { }\n", `line 3: found "p" instead of process or proc`},
		{"lock without a name", "proc p {\n\tlock\n}", `line 3: found "}" instead of a name`},
		{"end of text instead of a name", "proc p {\n\tlock", `line 2: found "" instead of a name`},
		{"process of a missing proc", "proc p { }\nprocess a = q", "line 2: there is no proc q"},
		{"call of a missing proc", "proc p {\n\tread x\n\tcall q\n}", "line 3: there is no proc q"},
		{"start of a missing proc", "proc p {\n\tstart q\n}\n", "line 2: there is no proc q"},
		{"end too many", "proc p {\n\tbegin\n\tend\n\tend\n}", "line 4: proc p: begin and end do not match"},
		{"end missing", "proc p {\n\tbegin\n\tread x\n}", "line 4: proc p: begin and end do not match"},
		{"end missing before a return", "proc p {\n\tbegin\n\treturn\n\tend\n}", "line 3: proc p: begin and end do not match"},
		{"end in one branch", "proc p {\n\tbegin\n\tchoice { end } or { }\n\tread x\nend }", "proc p: begin and end do not match"},
		{"begin in a loop", "proc p {\n\tloop {\n\t\tbegin\n\t}\n}", "proc p: begin and end do not match"},
		{"no statement before a colon", "proc p {\n\t: read x\n}", `line 2`},
		{"brace before a colon", "proc p {\n\t{ : read x\n}", `line 2`},
		{"colon before a colon", "proc p {\n\t: : read x\n}", `line 2`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseSafely(test.text)
			if err == nil {
				t.Fatalf("there is no error, want %s", test.want)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// parseSafely turns a panic into an error that no test wants.
func parseSafely(text string) (m *model.Model, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked{fmt.Sprint(r)}
		}
	}()
	return model.Parse(text)
}

type panicked struct{ value string }

func (p panicked) Error() string { return "panic: " + p.value }

// checkText fails the test if Parse panics, or if what it returns without an
// error is no model: one that is not consistent, or that has no text. It reports
// whether there is a model.
func checkText(t *testing.T, text string) bool {
	t.Helper()
	m, err := parseSafely(text)
	if p, ok := err.(panicked); ok {
		t.Fatalf("%v in\n%s", p, text)
	}
	if err != nil {
		return false
	}
	for _, p := range m.Procs {
		if len(p.Nodes) == 0 {
			t.Fatalf("proc %s has no nodes in\n%s", p.Name, text)
		}
		for i, n := range p.Nodes {
			argument(m, n) // which is in range
			for _, s := range n.Succs {
				if s < 0 || s >= len(p.Nodes) {
					t.Fatalf("proc %s: node %d goes on at %d in\n%s", p.Name, i, s, text)
				}
			}
		}
	}
	again, err := model.Parse(m.String())
	if err != nil {
		t.Fatalf("%v in\n%s\nwhich is the text of\n%s", err, m, text)
	}
	if difference := differ(m, again); difference != "" {
		t.Fatalf("%s in the text of\n%s", difference, text)
	}
	return true
}

// differ tells what two models differ in but for the order of what they name.
func differ(a, b *model.Model) string {
	if len(a.Processes) != len(b.Processes) {
		return "another number of processes"
	}
	for i, p := range a.Processes {
		q := b.Processes[i]
		if p.Name != q.Name || a.Procs[p.Proc].Name != b.Procs[q.Proc].Name {
			return "process " + p.Name
		}
	}
	if len(a.Procs) != len(b.Procs) {
		return "another number of procs"
	}
	for _, p := range a.Procs {
		i := index(b, p.Name)
		if i < 0 {
			return "no proc " + p.Name
		}
		if got, want := dump(b, b.Procs[i]), dump(a, p); got != want {
			return fmt.Sprintf("proc %s is\n%s\nand not\n%s\n", p.Name, got, want)
		}
	}
	return ""
}

// mutate changes a few words, lines or characters.
func mutate(r *rand.Rand, text string) string {
	words := []string{
		"{", "}", ":", "=", "#", "\n", "L", "M", "p", "q", "m", "x", "goto", "choice", "or", "loop", "stop", "return", "begin", "end", "proc", "process", "call", "read",
	}
	for range 1 + r.IntN(4) {
		sep := []string{"", " ", "\n"}[r.IntN(3)]
		parts := strings.Split(text, sep)
		if len(parts) == 0 {
			return words[r.IntN(len(words))]
		}
		i, j := r.IntN(len(parts)), r.IntN(len(parts))
		switch r.IntN(5) {
		case 0:
			parts = slices.Delete(parts, i, i+1)
		case 1:
			parts[i], parts[j] = parts[j], parts[i]
		case 2:
			parts = slices.Insert(parts, i, parts[j])
		case 3:
			parts = slices.Insert(parts, i, " "+words[r.IntN(len(words))]+" ")
		case 4:
			parts = parts[:i]
		}
		text = strings.Join(parts, sep)
	}
	return text
}

func TestParseMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parsed := 0
	for range 50 {
		for _, c := range constructs {
			if checkText(t, mutate(r, c.text())) {
				parsed++
			}
		}
	}
	if total := 50 * len(constructs); parsed < total/10 || parsed > total*9/10 {
		t.Errorf("%d of %d texts are models", parsed, total)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range constructs {
		f.Add(c.text())
	}
	f.Add(callGraph)
	f.Add("proc p {")
	f.Add("proc p { { : goto }")
	f.Fuzz(func(t *testing.T, text string) { checkText(t, text) })
}
