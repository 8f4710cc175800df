//go:build atomvet

// An interned string is removed while it is used.
//
// Project: prometheus d15adb9ad7e5d9fbde3a9a8f30200593a5a14d86
// Package: ./storage/remote
// Finding: 09f0ac80e864, storage/remote/intern.go:105
// Switch: storage/remote/intern.go:100
// Found: 27
//
// The count of the entry is 0; before it is removed, the string is interned and released, which removes
// the entry, and interned again. That entry is then removed in place of the first.

package remote

import (
	"testing"

	"github.com/prometheus/prometheus/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("intern", func() (unit, rival func() []any, state any) {
		p := newPool()
		p.intern("a")
		return func() []any { p.release("a"); return nil },
			func() []any {
				p.intern("a")
				p.release("a")
				p.intern("a")
				return nil
			},
			&p.pool
	}); err != nil {
		t.Error(err)
	}
}
