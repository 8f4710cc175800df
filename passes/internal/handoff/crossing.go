package handoff

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
)

// A crossing translates paths of a receiver to those of a sender. An object that the channel
// belongs to there is the one that it belongs to here; a part of the message is what was sent.
type crossing struct {
	f       *funcsum.Body // the sender
	s       *send
	r       *reception
	objects []pairing
	// apart is set if the channels are in different fields of objects of one type.
	apart bool
}

// A pairing is an object of the receiver that is one of the sender.
type pairing struct{ there, here accesspath.Path }

// newCrossing pairs the objects along the two paths of the channel, from the inside.
func newCrossing(f *funcsum.Body, s *send, r *reception) *crossing {
	x := &crossing{f: f, s: s, r: r}
	there, here := r.path, s.path
	for there != accesspath.Unknown && here != accesspath.Unknown {
		x.objects = append(x.objects, pairing{there, here})
		last, other := there.Last(), here.Last()
		if last != other {
			x.apart = len(x.objects) > 1 && isField(last) && isField(other)
			break
		}
		if !isField(last) {
			break
		}
		if len(x.objects) > 1 && r.scope.Res.Locate(there) != f.Res.Locate(here) {
			break // fields with the same name of different types
		}
		there, here = there.Parent(), here.Parent()
	}
	return x
}

func isField(selector string) bool { return strings.HasPrefix(selector, ".") }

// path translates a path.
func (x *crossing) path(p accesspath.Path) accesspath.Path {
	if p == accesspath.Unknown || p.IsGlobal() {
		return p
	}
	if it, rest, ok := x.sent(p); ok {
		if it.path == accesspath.Unknown {
			return accesspath.Unknown
		}
		return it.path + accesspath.Path(rest)
	}
	outer := x.r.outward(p)
	for i := len(x.objects) - 1; i >= 0; i-- {
		if o := x.objects[i]; outer.Within(o.there) {
			return o.here + outer[len(o.there):]
		}
	}
	if x.r.scope == x.f {
		return outer
	}
	return x.captured(p)
}

// captured translates a path from a variable that the receiver, a literal in the sender, has
// captured there.
func (x *crossing) captured(p accesspath.Path) accesspath.Path {
	if x.r.in.Fn.Parent() != x.f.Fn {
		return accesspath.Unknown
	}
	for i, v := range x.r.in.Fn.FreeVars {
		if p.Root() == accesspath.Free(i) {
			if b := depgraph.Binding(v); b != nil {
				return x.f.Res.Resolve(b).Path + accesspath.Path(p.Selectors())
			}
		}
	}
	return accesspath.Unknown
}

// sent returns the part of the message that a path begins with, and the selectors behind it.
func (x *crossing) sent(p accesspath.Path) (item, string, bool) {
	for _, m := range x.r.carriers {
		at := x.r.in.Res.Resolve(m).Path
		if at == accesspath.Unknown || !p.Within(at) {
			continue
		}
		rest := string(p[len(at):])
		if !strings.HasPrefix(rest, ".") {
			return x.s.message(""), rest, true
		}
		field := rest[1:]
		if i := strings.IndexAny(field, ".["); i >= 0 {
			field = field[:i]
		}
		return x.s.message(field), rest[1+len(field):], true
	}
	return item{}, "", false
}

// key translates a key.
func (x *crossing) key(k accesspath.Key) accesspath.Key {
	if k == "" {
		return ""
	}
	var out accesspath.Key
	for _, part := range k.Parts() {
		if _, constant := part.Const(); constant {
			out = out.Then(part)
			continue
		}
		if it, rest, ok := x.sent(part.Path()); ok {
			if rest == "" {
				out = out.Then(it.key)
			} else {
				out = out.Then(x.f.Res.Stored(accesspath.PathKey(it.path + accesspath.Path(rest))))
			}
			continue
		}
		out = out.Then(part.Substitute(x.path))
	}
	return out
}

// event returns the event of the act w, without what it depends on.
func (x *crossing) event(w *funcsum.Event, s *send) *funcsum.Event {
	e := event(s.instr, w)
	e.Loc = w.Loc
	e.Base, e.Path, e.Key = x.path(w.Base), x.path(w.Path), x.key(w.Key)
	for _, h := range w.Holds {
		e.Holds = append(e.Holds, hold(h.Guard.Rename(x.path), e.Ord))
	}
	return e
}

// passes reports whether the message may pass the tests of constants and types that decide about
// an act:
//
//	switch m.kind { case add: …; case remove: … }
func (x *crossing) passes(w *funcsum.Event) bool {
	for _, br := range x.r.in.Branches(w) {
		if side := only(br, w.Instr.Block()); side >= 0 && x.contradicts(br.Cond, side == 0) {
			return false
		}
	}
	return true
}

// only returns the side of a branch without which control does not come to a block, or -1.
func only(br *ssa.If, b *ssa.BasicBlock) int {
	for i, succ := range br.Block().Succs {
		if len(succ.Preds) == 1 && succ.Dominates(b) {
			return i
		}
	}
	return -1
}

// contradicts reports whether a condition of the receiver is known not to have a certain result
// for the message.
func (x *crossing) contradicts(cond ssa.Value, holds bool) bool {
	switch cond := cond.(type) {
	case *ssa.BinOp:
		if cond.Op != token.EQL && cond.Op != token.NEQ {
			return false
		}
		field, c := x.r.fieldOf(cond.X), cond.Y
		if field == "" {
			field, c = x.r.fieldOf(cond.Y), cond.X
		}
		want, ok := c.(*ssa.Const)
		if !ok || field == "" {
			return false
		}
		got, ok := x.s.message(field).whole.(*ssa.Const)
		if !ok || got.IsNil() != want.IsNil() || got.Value == nil || want.Value == nil {
			return false
		}
		return constant.Compare(got.Value, token.EQL, want.Value) != (holds == (cond.Op == token.EQL))
	case *ssa.Extract:
		assert, ok := cond.Tuple.(*ssa.TypeAssert)
		return ok && cond.Index == 1 && x.r.isCarrier(assert.X) && holds && x.isOther(assert)
	}
	return false
}

// isOther reports whether the message is known not to have the type of an assertion.
func (x *crossing) isOther(assert *ssa.TypeAssert) bool {
	whole := x.s.message("").whole
	return whole != nil && isConcrete(whole.Type()) && isConcrete(assert.AssertedType) && !types.Identical(whole.Type(), assert.AssertedType)
}

// isConcrete reports whether values of type t have no other dynamic type.
func isConcrete(t types.Type) bool {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false
	}
	return !types.IsInterface(t)
}
