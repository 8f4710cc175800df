package handoff

import (
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
)

// A crossing translates paths of a receiver to those of a sender. An object that the channel
// belongs to there is the one that it belongs to here; a part of the message is what was sent.
type crossing struct {
	p       *funcsum.Summaries
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
func newCrossing(p *funcsum.Summaries, f *funcsum.Body, s *send, r *reception) *crossing {
	x := &crossing{p: p, f: f, s: s, r: r}
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
