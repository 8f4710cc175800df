package handoff

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A reception is a receive of a message from a channel.
type reception struct {
	in      *funcsum.Body
	instr   ssa.Instruction
	channel ssa.Value
	from    origin
	// path is the path of the channel in scope, which is the function or its caller, and
	// outward translates paths to those there.
	path    accesspath.Path
	scope   *funcsum.Body
	outward func(accesspath.Path) accesspath.Path
	// carriers are the values that are the message, also after a type assertion, and the local
	// variables that hold it.
	carriers []ssa.Value
}

func newReception(f *funcsum.Body, instr ssa.Instruction, from origin, path accesspath.Path) *reception {
	return &reception{in: f, instr: instr, from: from, path: path, scope: f, outward: func(p accesspath.Path) accesspath.Path { return p }}
}

// receptions returns the receives of a function.
func receptions(f *funcsum.Body) []*reception {
	var out []*reception
	add := func(instr ssa.Instruction, ch ssa.Value, message ...ssa.Value) {
		if len(message) == 0 {
			return
		}
		r := newReception(f, instr, originOf(ch), f.Res.Resolve(ch).Path)
		r.channel = unchanged(ch)
		for _, m := range message {
			r.carry(m)
		}
		out = append(out, r)
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.UnOp:
				switch {
				case instr.Op != token.ARROW:
				case instr.CommaOk:
					add(instr, instr.X, extracts(instr, 0)...)
				default:
					add(instr, instr.X, instr)
				}
			case *ssa.Select:
				index := 2
				for _, s := range instr.States {
					if s.Dir == types.RecvOnly {
						add(instr, s.Chan, extracts(instr, index)...)
						index++
					}
				}
			}
		}
	}
	return out
}

// extracts returns the values of component i of a tuple.
func extracts(tuple ssa.Value, i int) []ssa.Value {
	var out []ssa.Value
	for _, use := range *tuple.Referrers() {
		if x, ok := use.(*ssa.Extract); ok && x.Index == i {
			out = append(out, x)
		}
	}
	return out
}

// carry adds a carrier, and those that it is passed on to.
func (r *reception) carry(v ssa.Value) {
	if slices.Contains(r.carriers, v) {
		return
	}
	r.carriers = append(r.carriers, v)
	if v.Referrers() == nil {
		return
	}
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if a, ok := use.Addr.(*ssa.Alloc); ok && use.Val == v {
				r.carry(a)
			}
		case *ssa.UnOp:
			if _, ok := v.(*ssa.Alloc); ok && use.Op == token.MUL {
				r.carry(use)
			}
		case *ssa.TypeAssert:
			if use.CommaOk {
				for _, x := range extracts(use, 0) {
					r.carry(x)
				}
			} else {
				r.carry(use)
			}
		}
	}
}

func (r *reception) isCarrier(v ssa.Value) bool { return slices.Contains(r.carriers, v) }

// leadsTo reports whether control comes from the receive to an instruction, without another
// receive there.
func (r *reception) leadsTo(instr ssa.Instruction) bool { return r.in.Order().Flows(r.instr, instr) }

// fieldOf returns the field of the message that v is, or "".
func (r *reception) fieldOf(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Field:
		if r.isCarrier(v.X) {
			return fieldName(v.X, v.Field)
		}
	case *ssa.UnOp:
		if addr, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL && r.isCarrier(addr.X) {
			return fieldName(addr.X, addr.Field)
		}
	}
	return ""
}

func fieldName(x ssa.Value, i int) string {
	if f := ssautil.Field(x.Type(), i); f != nil {
		return f.Name()
	}
	return ""
}

// uses returns the fields of the message that values depend on, "" for the whole message, and
// nil if they do not depend on it.
func (r *reception) uses(values []ssa.Value) []string {
	var out []string
	add := func(field string) {
		if !slices.Contains(out, field) {
			out = append(out, field)
		}
	}
	depends := false
	for _, v := range values {
		slice := r.in.Slice(v)
		if !slice.HasAny(r.carriers) {
			continue
		}
		depends = true
		for _, v := range slice {
			if field := r.fieldOf(v); field != "" {
				add(field)
			} else if r.takesWhole(v) {
				add("")
			}
		}
		if _, variable := v.(*ssa.Alloc); r.isCarrier(v) && !variable {
			add("")
		}
	}
	if depends && len(out) == 0 {
		out = append(out, "")
	}
	return out
}

// takesWhole reports whether an instruction has the message as an operand, and is not one that
// passes it on or selects a field.
func (r *reception) takesWhole(v ssa.Value) bool {
	instr, ok := v.(ssa.Instruction)
	if !ok || r.isCarrier(v) {
		return false
	}
	switch instr.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.Field, *ssa.TypeAssert:
		return false
	}
	var buf [8]*ssa.Value
	for _, op := range instr.Operands(buf[:0]) {
		if _, variable := (*op).(*ssa.Alloc); *op != nil && r.isCarrier(*op) && !variable {
			return true
		}
	}
	return false
}

// compares reports whether a branch that decides about a write compares something in the message
// with shared memory, which is read in the section of the write.
//
//	if u.gen == s.gen { s.total = u.total; s.gen++ }
func (r *reception) compares(w *funcsum.Event) bool {
	for _, i := range w.Control {
		if i >= len(r.in.Events) || w.Distant {
			continue
		}
		e := r.in.Events[i]
		if !funcsum.SharePassage(e, w) {
			continue
		}
		if w.Callee != nil && e.Instr == w.Instr {
			return r.uses(w.Conditions) != nil
		}
		if slices.ContainsFunc(r.in.Branches(w), func(br *ssa.If) bool {
			slice := r.in.Slice(br.Cond)
			return slice.HasAny(e.Values) && slice.HasAny(r.carriers) && !isLookup(e)
		}) {
			return true
		}
	}
	return false
}

// isLookup reports whether a read has a key: the message may only say which element is looked up.
func isLookup(e *funcsum.Event) bool { return e.Key != "" }

// A callSite is a call of a function that the receiver got with the message.
type callSite struct {
	field string // of the message
	held  []lockset.Guard
}

// calls returns the calls of functions in the message.
func (r *reception) calls() []callSite {
	var out []callSite
	r.in.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
		c, ok := instr.(*ssa.Call)
		if !ok || c.Call.IsInvoke() {
			return
		}
		site := callSite{field: r.fieldOf(c.Call.Value)}
		if site.field == "" && !r.isCarrier(c.Call.Value) {
			return
		}
		for _, h := range st.Held {
			if r.in.Flow.Holds(h) {
				site.held = append(site.held, h.Guard)
			}
		}
		out = append(out, site)
	})
	return out
}
