package model

import (
	"fmt"
	"strings"
)

// String returns the text form of the model. Parsing it gives the same model,
// but for the positions and the texts of the nodes.
func (m *Model) String() string {
	var b strings.Builder
	for _, p := range m.Processes {
		fmt.Fprintf(&b, "process %s = %s\n", p.Name, m.Procs[p.Proc].Name)
	}
	for _, p := range m.Procs {
		if len(p.Nodes) == 0 {
			continue // unreachable
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		m.printProc(&b, p)
	}
	return b.String()
}

func (m *Model) printProc(b *strings.Builder, p *Proc) {
	fmt.Fprintf(b, "proc %s {\n", p.Name)
	target := make([]bool, len(p.Nodes))
	for i, n := range p.Nodes {
		if !fallsThrough(n, i) {
			for _, s := range n.Succs {
				target[s] = true
			}
		}
	}
	for i, n := range p.Nodes {
		if target[i] {
			fmt.Fprintf(b, "L%d:\n", i)
		}
		fmt.Fprintf(b, "\t%s\n", m.statement(n))
		switch {
		case fallsThrough(n, i) || n.Op == Return:
		case len(n.Succs) == 0:
			b.WriteString("\tstop\n")
		default:
			b.WriteString("\tgoto")
			for _, s := range n.Succs {
				fmt.Fprintf(b, " L%d", s)
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("}\n")
}

// fallsThrough reports whether the only successor of the node with index i is the next
// one.
func fallsThrough(n Node, i int) bool { return len(n.Succs) == 1 && n.Succs[0] == i+1 }

func (m *Model) statement(n Node) string {
	s := n.Op.String()
	switch {
	case n.Op.OnLock():
		s += " " + m.Locks[n.Arg]
	case n.Op.onLocation():
		s += " " + m.Locations[n.Arg]
	case n.Op.onProc():
		s += " " + m.Procs[n.Arg].Name
	}
	return s
}
