package interleave

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A value is what a variable holds in a run.
type value interface {
	// text identifies the value in its run. Equal texts are equal values.
	text() string
}

type (
	// A boolean is always known: unknown conditions are chosen.
	boolean bool

	// A literal is a constant string, or a constant that no arithmetic is done with.
	literal string

	// A symbol is a value of which nothing but its identity is known.
	symbol struct {
		name string
		// made names the call that has made a new object; it is "" for a value of the start
		// state, or that depends on its operands alone.
		made string
	}

	// null is the nil of any type.
	null struct{}

	// A pointer points to a cell of an object. Maps and channels are pointers to objects.
	pointer struct {
		obj, path string
		field     *types.Var // the field that the cell is, if it is one
	}

	// A structure has the values of the fields, nil for those that are no data.
	structure struct {
		typ    *types.Struct
		fields []value
	}

	// A tuple has the results of a call.
	tuple []value

	// A closure is a function with the values of its free variables.
	closure struct {
		fn   *ssa.Function
		free []value
	}

	// A boxed value is in an interface, with its dynamic type.
	boxed struct {
		typ types.Type
		val value
	}

	// A slice is a stretch of an object with elements.
	slice struct {
		obj    string
		off, n number
	}

	// An iterator is the state of a range over a map.
	iterator struct {
		obj  string
		keys []value
		next int
	}
)

func (b boolean) text() string { return strconv.FormatBool(bool(b)) }

func (s literal) text() string { return string(s) }

func (s symbol) text() string { return s.name }

func (null) text() string { return "nil" }

func (p pointer) text() string { return "&" + p.obj + p.path }

func (t tuple) text() string { return "(" + texts(t) + ")" }

func (b boxed) text() string { return b.val.text() }

func (s slice) text() string { return s.obj + "[" + s.off.text() + ":+" + s.n.text() + "]" }

func (i *iterator) text() string {
	return fmt.Sprintf("range %s %d", i.obj, i.next)
}

func (s structure) text() string { return "{" + texts(s.fields) + "}" }

func (c closure) text() string { return "func " + c.fn.String() + "(" + texts(c.free) + ")" }

func texts(list []value) string {
	var out []string
	for _, v := range list {
		if v == nil {
			out = append(out, "_")
			continue
		}
		out = append(out, v.text())
	}
	return strings.Join(out, ", ")
}

func quoted(s string) literal { return literal(strconv.Quote(s)) }

func isNull(v value) bool {
	_, ok := v.(null)
	return ok
}

// A number is a linear sum of symbols.
type number struct {
	terms []term // by symbol; no coefficient is 0
	c     int64
}

type term struct {
	sym  string
	coef int64
}

func integer(c int64) number { return number{c: c} }

func variable(sym string) number { return number{terms: []term{{sym, 1}}} }

func (n number) isConst() bool { return len(n.terms) == 0 }

// plus returns n + k*m.
func (n number) plus(m number, k int64) number {
	out := number{c: n.c + k*m.c}
	i, j := 0, 0
	for i < len(n.terms) || j < len(m.terms) {
		var t term
		switch {
		case j == len(m.terms) || i < len(n.terms) && n.terms[i].sym < m.terms[j].sym:
			t = n.terms[i]
			i++
		case i == len(n.terms) || m.terms[j].sym < n.terms[i].sym:
			t = term{m.terms[j].sym, k * m.terms[j].coef}
			j++
		default:
			t = term{n.terms[i].sym, n.terms[i].coef + k*m.terms[j].coef}
			i++
			j++
		}
		if t.coef != 0 {
			out.terms = append(out.terms, t)
		}
	}
	return out
}

func (n number) times(k int64) number { return number{}.plus(n, k) }

// form returns the sum without its constant, with a positive first coefficient, and the sign by
// which it was multiplied.
func (n number) form() (number, int64) {
	f := number{terms: slices.Clone(n.terms)}
	if len(f.terms) == 0 || f.terms[0].coef > 0 {
		return f, 1
	}
	return f.times(-1), -1
}

func (n number) text() string {
	var b strings.Builder
	for i, t := range n.terms {
		switch {
		case t.coef == 1 && i > 0:
			b.WriteString("+")
		case t.coef == -1:
			b.WriteString("-")
		case t.coef != 1:
			if t.coef > 0 && i > 0 {
				b.WriteString("+")
			}
			fmt.Fprintf(&b, "%d*", t.coef)
		}
		b.WriteString(t.sym)
	}
	switch {
	case len(n.terms) == 0:
		fmt.Fprintf(&b, "%d", n.c)
	case n.c > 0:
		fmt.Fprintf(&b, "+%d", n.c)
	case n.c < 0:
		fmt.Fprintf(&b, "%d", n.c)
	}
	return b.String()
}
