package process

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/closedworld"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A Scope says which packages a driver may ask about: all but the standard library, whose own
// calls of exported functions of others are calls of methods of interfaces.
type Scope struct {
	// Module is the path of the module of the package, "" if it has none.
	Module string
	// Instances are the instances of generic functions and types in the package.
	Instances map[*ast.Ident]types.Instance
}

// standard are the first elements of the import paths of the standard library.
var standard = strings.Fields(`archive bufio bytes cmd cmp compress container context crypto database debug embed encoding errors
	expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime
	slices sort strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak`)

// IsStandard reports whether a package is of the standard library.
func (s Scope) IsStandard(pkg *types.Package) bool {
	first, _, _ := strings.Cut(pkg.Path(), "/")
	return slices.Contains(standard, first) && (s.Module == "" || pkg.Path() != s.Module && !strings.HasPrefix(pkg.Path(), s.Module+"/"))
}

// A handout collects the functions that unknown code can get from a package: values of exported
// functions, its own and those of other packages, and the methods of values in interfaces. These
// are called only by code that calls methods of that name through interfaces, or by reflection.
type handout struct {
	scope Scope
	pkg   string // path of the package
	// standard says that the package is of the standard library, whose values do not matter.
	standard bool
	// received are the methods of values that functions of a package get in empty interfaces, and
	// reflects says that methods are looked up by reflection.
	received map[string]map[string]bool
	reflects bool

	values, leaked, dynamic, invoked map[string]bool
	seen                             map[types.Type]bool // with their methods in dynamic
}

func newHandout(pkg *types.Package, scope Scope) *handout {
	h := &handout{
		scope: scope, pkg: pkg.Path(), standard: scope.IsStandard(pkg), received: make(map[string]map[string]bool), values: make(map[string]bool), leaked: make(map[string]bool), dynamic: make(map[string]bool), invoked: make(map[string]bool),
		seen: make(map[types.Type]bool),
	}
	if h.standard {
		return h
	}
	for _, inst := range scope.Instances {
		for t := range inst.TypeArgs.Types() {
			h.methods(t)
		}
	}
	return h
}

// lists returns what was found, in order.
func (h *handout) lists() closedworld.Handout {
	sorted := func(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
	received := make(map[string][]string)
	for pkg, keys := range h.received {
		received[pkg] = sorted(keys)
	}
	return closedworld.Handout{Reflects: h.reflects, Received: received, Values: sorted(h.values), Leaked: sorted(h.leaked), Dynamic: sorted(h.dynamic), Invoked: sorted(h.invoked)}
}

// Invoked returns the names of the methods that some functions of a package call through interfaces.
func Invoked(pkg *types.Package, fns []*ssa.Function) []string {
	h := newHandout(pkg, Scope{})
	for _, fn := range fns {
		h.function(fn)
	}
	return h.lists().Invoked
}

func (h *handout) function(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case ssa.CallInstruction:
				if as := invoked(instr.Common()); as != "" {
					h.invoked[as] = true
				}
				h.reflects = h.reflects || h.pkg != "reflect" && reflects(instr.Common())
			case *ssa.MakeInterface:
				if h.standard {
					continue
				}
				h.methods(instr.X.Type())
				if isEmpty(instr.Type()) {
					h.given(instr)
				}
			}
			if !h.standard {
				h.operands(instr)
			}
		}
	}
}

// operands adds the functions that an instruction uses as values. What a call runs is no value, and
// what it starts a goroutine with has a root of its own.
func (h *handout) operands(instr ssa.Instruction) {
	call, _ := instr.(ssa.CallInstruction)
	if call != nil {
		if fn := call.Common().StaticCallee(); fn != nil && stdlib.OfFunc(ssautil.Object(fn)).Runs != stdlib.Nothing {
			return
		}
	}
	if mc, ok := instr.(*ssa.MakeClosure); ok {
		if fn := mc.Fn.(*ssa.Function); fn.Object() != nil && !onlyStarted(mc) {
			h.value(fn)
		}
		return
	}
	var buf [8]*ssa.Value
	for _, op := range instr.Operands(buf[:0]) {
		if fn, ok := (*op).(*ssa.Function); ok && (call == nil || call.Common().Value != fn) {
			h.value(fn)
		}
	}
}

// onlyStarted reports whether a method value is only called, or started as a goroutine.
func onlyStarted(mc *ssa.MakeClosure) bool {
	return !slices.ContainsFunc(*mc.Referrers(), func(use ssa.Instruction) bool {
		if _, ok := use.(*ssa.DebugRef); ok {
			return false
		}
		c, ok := use.(ssa.CallInstruction)
		if !ok {
			return true
		}
		fn := c.Common().StaticCallee()
		return c.Common().Value != mc && (fn == nil || stdlib.OfFunc(ssautil.Object(fn)).Runs == stdlib.Nothing)
	})
}

func (h *handout) value(fn *ssa.Function) {
	obj := ssautil.Object(fn)
	if obj == nil || obj.Pkg() == nil || !obj.Exported() || h.scope.IsStandard(obj.Pkg()) {
		return
	}
	if key := fact.FuncKey(obj); key != "" {
		h.values[key] = true
	}
}

// methods adds the methods of a type whose values are in interfaces.
func (h *handout) methods(t types.Type) {
	if h.seen[t] {
		return
	}
	h.seen[t] = true
	for key, shape := range h.keys(t) {
		h.dynamic[key+shape] = true
	}
}

// given adds the methods of a value in an empty interface for the functions that get it.
func (h *handout) given(mi *ssa.MakeInterface) {
	keys := h.keys(mi.X.Type())
	if len(keys) == 0 {
		return
	}
	for _, pkg := range receivers(mi, h.pkg) {
		if h.received[pkg] == nil {
			h.received[pkg] = make(map[string]bool)
		}
		for key := range keys {
			h.received[pkg][key] = true
		}
	}
}

// invoked returns what a call calls through an interface, "" if it is no such call or nobody else
// can have the method.
func invoked(c *ssa.CallCommon) string {
	if !c.IsInvoke() || !c.Method.Exported() {
		return ""
	}
	return closedworld.Dynamic(c.Method.Name(), closedworld.Shape(c.Method.Signature()))
}

// keys returns the exported methods of a type, embedded ones included, with their shapes.
func (h *handout) keys(t types.Type) map[string]string {
	if types.IsInterface(t) {
		return nil
	}
	if _, ok := t.(*types.Pointer); !ok {
		t = types.NewPointer(t) // the value may be copied to a variable, and that asked for
	}
	out := make(map[string]string)
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		fn, ok := set.At(i).Obj().(*types.Func)
		if !ok || !fn.Exported() || fn.Pkg() == nil || h.scope.IsStandard(fn.Pkg()) {
			continue
		}
		if key := fact.FuncKey(fn.Origin()); key != "" {
			out[key] = closedworld.Shape(fn.Signature())
		}
	}
	return out
}

// leak adds the methods of the types of other packages that are reachable from the exported
// declarations of a package.
func (h *handout) leak(pkg *types.Package) {
	seen := make(map[types.Type]bool)
	var add func(t types.Type)
	tuple := func(t *types.Tuple) {
		for v := range t.Variables() {
			add(v.Type())
		}
	}
	add = func(t types.Type) {
		if t = types.Unalias(t); seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			if t.Obj().Pkg() == nil || h.scope.IsStandard(t.Obj().Pkg()) {
				return
			}
			for a := range t.TypeArgs().Types() {
				add(a)
			}
			if t.Obj().Pkg() != pkg {
				for key := range h.keys(t) {
					h.leaked[key] = true
				}
			}
			add(t.Underlying())
			for m := range t.Methods() {
				if m.Exported() {
					add(m.Type())
				}
			}
		case *types.Signature:
			tuple(t.Params())
			tuple(t.Results())
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() || f.Embedded() {
					add(f.Type())
				}
			}
		case *types.Interface:
			for m := range t.Methods() {
				add(m.Type())
			}
		case *types.Map:
			add(t.Key())
			add(t.Elem())
		case interface{ Elem() types.Type }:
			add(t.Elem())
		}
	}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			add(obj.Type())
		}
	}
}

func isEmpty(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

// receivers returns the packages of the functions that have a value in an empty interface as an
// argument, by own the path of the package itself, for a function value.
func receivers(mi *ssa.MakeInterface, own string) []string {
	var out []string
	add := func(use ssa.Instruction) {
		if c, ok := use.(ssa.CallInstruction); ok {
			out = append(out, receiver(c.Common(), own))
		}
	}
	for _, use := range *mi.Referrers() {
		add(use)
		st, ok := use.(*ssa.Store) // into the array of variadic arguments
		if !ok {
			continue
		}
		at, ok := st.Addr.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		array, ok := at.X.(*ssa.Alloc)
		if !ok {
			continue
		}
		for _, use := range *array.Referrers() {
			if slice, ok := use.(*ssa.Slice); ok {
				for _, use := range *slice.Referrers() {
					add(use)
				}
			}
		}
	}
	return out
}

func receiver(c *ssa.CallCommon, own string) string {
	var obj *types.Func
	if fn := c.StaticCallee(); fn != nil {
		obj = ssautil.Object(fn)
	} else if c.IsInvoke() {
		obj = c.Method
	}
	if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() == "reflect" {
		return own
	}
	return obj.Pkg().Path()
}

// reflects reports whether a call looks up a method by reflection.
func reflects(c *ssa.CallCommon) bool {
	obj := c.Method
	if fn := c.StaticCallee(); fn != nil {
		obj = ssautil.Object(fn)
	}
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "reflect" && (obj.Name() == "Method" || obj.Name() == "MethodByName")
}
