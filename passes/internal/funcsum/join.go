package funcsum

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Join is a use of the values of two reads by one instruction.
type Join struct {
	// At is the instruction.
	At   ssa.Instruction
	Word string // the use, as messages show it
}

// JoinedInResult is the Word of a return that uses both values.
const JoinedInResult = "the result"

// JoinedInDecision is the Word of an instruction that is control dependent on both values.
const JoinedInDecision = "the decision"

// JoinedBySelection is the Word of the use of a value that the first read has selected,
// see Selection.
const JoinedBySelection = "the choice"

// Joined reports whether two reads, the second after the first, have a common correlation:
// their values are used by the same return, call or write, or decide whether it is reached
// (Dias, Pessanha, Lourenço, Precise detection of atomicity violations, section 4.3).
func (f *Body) Joined(first, second *Event) (Join, bool) {
	// Only instructions after the second read count, up to a repetition of the first.
	follows := func(instr ssa.Instruction) bool {
		return f.Order().Exists(Way{From: second.Instr, To: instr, Avoid: first.Instr})
	}
	var decided Join // the first in which the values only meet in a decision
	for _, k := range f.Sinks() {
		if k.Instr == first.Instr || k.Instr == second.Instr || !follows(k.Instr) {
			continue
		}
		one, two := k.Data.HasAny(first.Values), k.Data.HasAny(second.Values)
		if one && two {
			return Join{k.Instr, k.word()}, true
		}
		if decided.At != nil {
			continue
		}
		// A branch on the first value after the second read can depend on the pair. A
		// branch before the second read only decides whether that is made.
		for _, c := range k.Conditions {
			if follows(c.Branch) {
				one = one || c.Slice.HasAny(first.Values)
				two = two || c.Slice.HasAny(second.Values)
			}
		}
		if one && two {
			decided = Join{k.Instr, JoinedInDecision}
		} else if k.Data.HasAny(second.Values) && f.selects(k.Data, first, second) {
			return Join{k.Instr, "the index"}, true
		}
	}
	return decided, decided.At != nil
}

// JoinedInObject reports whether the values of two reads, the second after the first, go into one
// object, by calls of its methods or of those of its parts.
//
//	w.Header().Set("ETag", tag(v.Rev()))
//	w.Write(v.Get())
//
// or are kept as they are in two fields of one:
//
//	m.rows = src.Rows()
//	m.seen = src.Last()
func (f *Body) JoinedInObject(first, second *Event) (Join, bool) {
	if at := f.keptTogether(first, second); at != nil {
		return Join{at, "one object"}, true
	}
	for _, k := range f.Sinks() {
		if k.Instr != first.Instr && k.Instr != second.Instr && k.Data.HasAny(second.Values) &&
			f.Order().Exists(Way{From: second.Instr, To: k.Instr, Avoid: first.Instr}) && f.builds(k.Instr, first) {
			return Join{k.Instr, "one object"}, true
		}
	}
	return Join{}, false
}

// keptTogether returns the instruction that stores the value of the second read in a field of an object, other than that which
// was read, if the value of the first one is in another field of it, or nil.
func (f *Body) keptTogether(first, second *Event) ssa.Instruction {
	for _, one := range keptIn(first) {
		at := f.Res.Resolve(one.Addr)
		if at.Base == accesspath.Unknown || at.Base.Root() == first.Base.Root() && at.Base.Within(first.Base) {
			continue
		}
		for _, two := range keptIn(second) {
			if to := f.Res.Resolve(two.Addr); to.Base == at.Base && to.Loc != at.Loc && f.Order().Exists(Way{From: second.Instr, To: two, Avoid: first.Instr}) {
				return two
			}
		}
	}
	return nil
}

// keptIn returns the stores of the values of a read to fields.
func keptIn(r *Event) []*ssa.Store {
	var out []*ssa.Store
	for _, v := range r.Values {
		for _, use := range ssautil.Uses(v) {
			st, ok := use.(*ssa.Store)
			if !ok || st.Val != v {
				continue
			}
			if _, ok := st.Addr.(*ssa.FieldAddr); ok {
				out = append(out, st)
			}
		}
	}
	return out
}

// builds reports whether a call is on an object that the value of the first read has gone into before,
// or goes into as well.
func (f *Body) builds(instr ssa.Instruction, first *Event) bool {
	parts := f.objects(instr, first)
	if len(parts) == 0 {
		return false
	}
	if slices.ContainsFunc(parts, func(v ssa.Value) bool { return f.Slice(v).HasAny(first.Values) }) {
		return true
	}
	return slices.ContainsFunc(f.Sinks(), func(k Sink) bool {
		return k.Instr != instr && k.Instr != first.Instr && k.Data.HasAny(first.Values) &&
			slices.ContainsFunc(f.objects(k.Instr, first), func(v ssa.Value) bool { return slices.Contains(parts, v) })
	})
}

// objects returns the receiver of a method call, and the objects that it is a part of, unless they
// are those that the first read is of.
func (f *Body) objects(instr ssa.Instruction, first *Event) []ssa.Value {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	var out []ssa.Value
	for v := ssautil.Receiver(call); v != nil; {
		out = append(out, v)
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Call:
			v = ssautil.Receiver(x)
		default:
			v = nil
		}
	}
	if len(out) == 0 || f.Res.Resolve(out[len(out)-1]).Path.Root() == first.Base.Root() {
		return nil
	}
	return out
}

// selects reports whether an element of what the second read has yielded is selected by an index that a
// loop has counted up by what the first has:
//
//	i := 0
//	for sums[i] <= x { i++ }
//	return addrs[i]
func (f *Body) selects(data depgraph.Slice, first, second *Event) bool {
	slicer := f.in.slice(f)
	for _, v := range data {
		load, ok := v.(*ssa.UnOp)
		if !ok {
			continue
		}
		at, ok := load.X.(*ssa.IndexAddr)
		if !ok || !slicer.Back(at.X).HasAny(second.Values) {
			continue
		}
		for _, i := range slicer.Back(at.Index) {
			phi, ok := i.(*ssa.Phi)
			if !ok {
				continue
			}
			for _, br := range f.Branches(&Event{Instr: phi}) {
				if s := slicer.Back(br.Cond); s.Has(phi) && s.HasAny(first.Values) {
					return true
				}
			}
		}
	}
	return false
}

// word returns the kind of the sink, as messages show it.
func (k *Sink) word() string {
	switch k.Instr.(type) {
	case *ssa.Return:
		return JoinedInResult
	case ssa.CallInstruction:
		return "the call"
	}
	return "the write"
}

// Sinks returns the sinks of f.
func (f *Body) Sinks() []Sink {
	if f.sinks != nil {
		return f.sinks
	}
	f.sinks = []Sink{}
	formats := func(c *ssa.Call) bool { return isText(&c.Call) && !findsText(ssautil.Target(&c.Call)) }
	slicer := f.in.slicerWithout(f, func(c *ssa.Call, _ int) bool { return formats(c) })
	whole := f.in.slicerWithout(f, func(c *ssa.Call, i int) bool { return formats(c) && !makesToken(c, i) })
	conditions := make(map[*ssa.BasicBlock][]Condition)
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			values, ok := used(instr)
			if !ok {
				continue
			}
			decided, known := conditions[b]
			if !known {
				for _, br := range f.Branches(&Event{Instr: instr}) {
					decided = append(decided, Condition{br, slicer.Back(br.Cond)})
				}
				conditions[b] = decided
			}
			data := slicer.Back(values...)
			if ret, ok := instr.(*ssa.Return); ok && !describes(f.Fn) {
				data = append(data, whole.Back(texts(ret)...)...)
			}
			if _, ok := instr.(ssa.CallInstruction); ok {
				data = append(data, whole.Back(tokens(values)...)...)
			}
			f.sinks = append(f.sinks, Sink{instr, data, decided})
		}
	}
	return f.sinks
}

// A text that a function returns, and that is no text for people, is something that the function
// computes, such as an address or a key. Text for people has spaces. A method that describes its
// receiver computes nothing.
//
//	func (s *Server) Addr() string { return fmt.Sprintf("%s:%d", s.Host(), s.Port()) }

// texts returns the strings that are returned.
func texts(r *ssa.Return) []ssa.Value {
	var out []ssa.Value
	for i := range r.Results {
		if v := ssautil.Returned(r, i); ssautil.IsString(v.Type()) {
			out = append(out, v)
		}
	}
	return out
}

// tokens returns the strings, and the lists of strings, among the arguments of a call.
func tokens(args []ssa.Value) []ssa.Value {
	return slices.DeleteFunc(slices.Clone(args), func(v ssa.Value) bool {
		list, ok := v.Type().Underlying().(*types.Slice)
		return !ssautil.IsString(v.Type()) && !(ok && ssautil.IsString(list.Elem()))
	})
}

// makesToken reports whether result i of a call that formats its arguments is a number, or a string without
// spaces, as far as the call has constant arguments.
func makesToken(c *ssa.Call, i int) bool {
	sig := c.Call.Signature()
	if i >= sig.Results().Len() || !ssautil.IsString(sig.Results().At(i).Type()) {
		return false
	}
	if !sig.Variadic() {
		// strconv.Itoa(n), hex.EncodeToString(sum); a method may find a text by a number
		return !c.Call.IsInvoke() && sig.Recv() == nil && !slices.ContainsFunc(c.Call.Args, func(v ssa.Value) bool { return !ssautil.IsNumber(v.Type()) && !ssautil.IsBytes(v.Type()) }) ||
			sig.Params().Len() == 1 && ssautil.IsBytes(sig.Params().At(0).Type())
	}
	return !slices.ContainsFunc(elements(c.Call.Args), func(v ssa.Value) bool {
		text, ok := ssautil.Unboxed(v).(*ssa.Const)
		return ok && text.Value != nil && text.Value.Kind() == constant.String && strings.ContainsAny(constant.StringVal(text.Value), " \n\t")
	})
}

// findsText reports whether a function returns a string that it finds somewhere, and makes none.
//
//	func (g *Gateway) target(slot int) string { return g.upstreams.Load().urls[slot] }
func findsText(fn *ssa.Function) bool {
	if fn == nil || len(fn.Blocks) == 0 {
		return false
	}
	return !slices.ContainsFunc(ssautil.Returns(fn), func(r *ssa.Return) bool {
		return slices.ContainsFunc(alternatives(ssautil.Returned(r, 0)), func(v ssa.Value) bool {
			if x, ok := v.(*ssa.Extract); ok {
				if found, ok := x.Tuple.(*ssa.Lookup); ok {
					v = found
				}
			}
			switch v := v.(type) {
			case *ssa.Const, *ssa.Lookup, *ssa.Field, *ssa.Index:
				return false
			case *ssa.UnOp:
				return v.Op != token.MUL
			}
			return true
		})
	})
}

// describes reports whether a method is one of fmt.Stringer or of error.
func describes(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && (isStringer(obj) || obj.Name() == "Error" && obj.Signature().Recv() != nil)
}
