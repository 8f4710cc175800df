package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
)

func parse(t *testing.T, text string) *model.Model {
	t.Helper()
	m, err := model.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return m
}

// index returns the index of the named procedure.
func index(m *model.Model, name string) int {
	return slices.IndexFunc(m.Procs, func(p *model.Proc) bool { return p.Name == name })
}

// argument returns the name of what a node is done to.
func argument(m *model.Model, n model.Node) string {
	switch n.Op {
	case model.Lock, model.RLock, model.Unlock, model.RUnlock, model.Wait:
		return m.Locks[n.Arg]
	case model.Read, model.Write:
		return m.Locations[n.Arg]
	case model.Call, model.Start, model.Join:
		return m.Procs[n.Arg].Name
	}
	return ""
}

// dump lists the nodes of a procedure, each with its successors. The indices of
// names are not in it, as the text of a model does not have them.
func dump(m *model.Model, p *model.Proc) string {
	var list []string
	for i, n := range p.Nodes {
		s := fmt.Sprint(i, " ", n.Op)
		if arg := argument(m, n); arg != "" {
			s += " " + arg
		}
		s += " ->"
		for _, succ := range n.Succs {
			s += fmt.Sprint(" ", succ)
		}
		list = append(list, s)
	}
	return strings.Join(list, "\n")
}

const callGraph = `
	process main = a
	proc a { call b read x }
	proc b { start c call d }
	proc c { call c }
	proc d { call e join c }
	proc e { choice { call b } or { write x } }
	proc f { call c call g }
	proc g { }
	proc h { call g }
`

func TestReachable(t *testing.T) {
	m := parse(t, callGraph)
	for root, want := range map[string]string{
		// A process that is started runs on its own.
		"a": "a b d e",
		"c": "c",
		"d": "d e b",
		"f": "f c g",
		"g": "g",
		"h": "h g",
	} {
		var got []string
		for _, p := range m.Reachable(index(m, root)) {
			got = append(got, m.Procs[p].Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("from %s: got %v, want %s", root, got, want)
		}
	}
}

func TestRecursive(t *testing.T) {
	m := parse(t, callGraph)
	for root, want := range map[string]bool{
		"a": true, "b": true, "c": true, "d": true, "e": true, "f": true,
		"g": false,
		"h": false,
	} {
		if got := m.Recursive(index(m, root)); got != want {
			t.Errorf("%s: got %v, want %v", root, got, want)
		}
	}
	// Two ways to one procedure are no recursion.
	m = parse(t, "proc a { call b call c } proc b { call c call c } proc c { start a }")
	if m.Recursive(index(m, "a")) {
		t.Error("a calls b twice, and is recursive")
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int{
		"":                                    0,
		"proc a { }":                          1, // the return
		"proc a { read x write x stop }":      2,
		"proc a { read x } proc b { wait m }": 4,
	} {
		if got := parse(t, text).Size(); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestProcesses(t *testing.T) {
	m := parse(t, "process p = a proc b { } proc a { } process q = b process r = a")
	for i, want := range []string{"p a", "q b", "r a"} {
		p := m.Processes[i]
		if got := p.Name + " " + m.Procs[p.Proc].Name; got != want {
			t.Errorf("process %d is %q, want %q", i, got, want)
		}
	}
}
