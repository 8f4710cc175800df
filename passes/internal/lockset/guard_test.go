package lockset_test

import (
	"testing"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

func TestAtomic(t *testing.T) {
	const loc, other accesspath.Location = "p#S.n", "p#S.m"
	variable := accesspath.Param(0).Field("n")
	atomic, lock := lockset.Atomic(variable, loc), lockset.Guard{Path: variable, Class: loc}
	if !atomic.IsAtomic() || lock.IsAtomic() || !atomic.IsAtomicOf(loc) || atomic.IsAtomicOf(other) || lock.IsAtomicOf(loc) {
		t.Errorf("%+v and %+v are not told apart", atomic, lock)
	}
	if atomic.Path == lock.Path || atomic.Class == lock.Class {
		t.Error("an atomic operation holds the lock of that name")
	}
	if atomic.Object() != variable || lock.Object() != variable {
		t.Errorf("objects %s and %s", atomic.Object(), lock.Object())
	}
	caller := func(p accesspath.Path) accesspath.Path {
		return p.Substitute(func(accesspath.Path) accesspath.Path { return "p1.s" })
	}
	if got := atomic.Rename(caller); got != lockset.Atomic("p1.s.n", loc) {
		t.Errorf("for the caller it is %+v", got)
	}
	if got := lock.Rename(caller); got.Path != "p1.s.n" || got.IsAtomic() {
		t.Errorf("for the caller it is %+v", got)
	}
	gone := atomic.Rename(func(accesspath.Path) accesspath.Path { return accesspath.Unknown })
	if gone.Path != accesspath.Unknown || !gone.IsAtomicOf(loc) {
		t.Errorf("without a name it is %+v", gone)
	}
}
