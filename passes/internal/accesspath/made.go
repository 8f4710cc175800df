package accesspath

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A field of a new object is what it was made with, as long as nobody sets it again. So a key
// that is read from the object, and the value that the object was made with, select one element:
//
//	s.add(&entry{id: id})     // s.m[e.id] = e
//	s.add(s.newEntry(id))     // the same, made in a function of the package

// Stored returns the key of what has been stored at the path of a key.
func (r *Resolver) Stored(k Key) Key {
	p := k.Path()
	rest := p[len(p.Root()):]
	if rest == "" {
		return k
	}
	field := firstSelector(rest)
	var stored Key
	switch made := r.Definition(p).(type) {
	case *ssa.Alloc:
		if !p.IsFresh() {
			return k
		}
		stored = r.storedIn(original(made), field)
	case *ssa.Call:
		stored = r.storedBy(made, 0, made, field)
	case *ssa.Extract:
		if call, ok := made.Tuple.(*ssa.Call); ok {
			stored = r.storedBy(call, made.Index, made, field)
		}
	}
	if stored == "" {
		return k
	}
	if rest = rest[len(field):]; rest == "" {
		return stored
	}
	if stored.isConst() || stored.HasAny() {
		return k
	}
	return Key(Path(stored) + rest)
}

// storedIn returns the key of the only value that is stored in a field of a new object, "" if it
// is not known.
func (r *Resolver) storedIn(made *ssa.Alloc, field Path) Key {
	return r.keyOf(onlyStored(made, field))
}

// keyOf returns the key of a stored value; "" for no value, and for one whose key is being computed.
func (r *Resolver) keyOf(val ssa.Value) Key {
	if val == nil || r.storing[val] {
		return "" // as in e.id = e.id
	}
	if r.storing == nil {
		r.storing = make(map[ssa.Value]bool)
	}
	r.storing[val] = true
	defer delete(r.storing, val)
	return r.Key(val)
}

// storedBy is storedIn for an object that a function of the package makes, and that is result i of a
// call. What the caller sets the field to is what counts.
func (r *Resolver) storedBy(call *ssa.Call, i int, object ssa.Value, field Path) Key {
	if val, set := setField(object, field); set {
		return r.keyOf(val)
	}
	fn := ssautil.Target(&call.Call)
	if fn == nil {
		return ""
	}
	made := madeBy(fn, i)
	if made == nil || onlyStored(made, field) == nil {
		return ""
	}
	// The key is a parameter of the function or a part of one. What it has by other means, such as
	// results of calls, is not followed.
	key := NewResolver(fn, nil, nil).storedIn(made, field)
	if key == "" || key.isConst() || key.HasAny() || key.IsNested() || key.Path().Root().IsLocal() {
		return ""
	}
	argument := func(root Path) ssa.Value {
		for n, arg := range call.Call.Args {
			if root == Param(n) {
				return arg
			}
		}
		return nil
	}
	if arg := argument(key.Path()); arg != nil {
		return r.Key(arg)
	}
	return r.Stored(key.Substitute(func(root Path) Path {
		if arg := argument(root); arg != nil {
			return r.Resolve(arg).Path
		}
		return root
	}))
}

// madeBy returns the new object that fn returns as result i, if it is always the same one, or nil.
// A nil result does not count.
func madeBy(fn *ssa.Function, i int) *ssa.Alloc {
	var made *ssa.Alloc
	for _, ret := range ssautil.Returns(fn) {
		if i >= len(ret.Results) {
			continue
		}
		v := ssautil.Returned(ret, i)
		if c, ok := v.(*ssa.Const); ok && c.IsNil() {
			continue
		}
		alloc, ok := v.(*ssa.Alloc)
		if !ok || made != nil && alloc != made {
			return nil
		}
		made = alloc
	}
	return made
}

// onlyStored returns the only value that is ever stored in a field of a new object, or nil.
func onlyStored(made *ssa.Alloc, field Path) ssa.Value {
	val, _ := setField(made, field)
	return val
}

// setField returns the value that a field of an object is set to, and whether it is set; the value is
// nil if there are several, or if the address of the field is used otherwise than for loads.
func setField(object ssa.Value, field Path) (val ssa.Value, set bool) {
	for _, use := range *object.Referrers() {
		addr, ok := use.(*ssa.FieldAddr)
		if !ok || !selects(addr, field) {
			continue
		}
		v, ok := onlyStore(addr)
		if !ok || v != nil && set {
			return nil, true
		}
		if v != nil {
			val, set = v, true
		}
	}
	return val, set
}

func selects(addr *ssa.FieldAddr, field Path) bool {
	return "."+ssautil.Field(addr.X.Type(), addr.Field).Name() == string(field)
}
