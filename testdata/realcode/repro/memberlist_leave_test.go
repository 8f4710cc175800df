//go:build ignore

// A member leaves, and the others see a failure.
//
// Project: memberlist 1b4c746c0e53bce51547d38f14d4772f85da2708
// Package: .
// Finding: 352fc0c755c1, memberlist.go:682
// Switch: memberlist.go:679
// Found: 43
//
// A message that suspects this node comes after Leave has read its incarnation: refute raises that, the
// message that the node has left is ignored as old, and the node stays alive in its own list.

package memberlist

import (
	"testing"
	"time"

	"github.com/hashicorp/memberlist/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("leave", func() (unit, rival func() []any, state any) {
		m := GetMemberlist(t, nil)
		t.Cleanup(func() { m.Shutdown() })
		if err := m.setAlive(); err != nil {
			panic(err)
		}
		m.nodeLock.RLock()
		self := m.nodeMap[m.config.Name]
		m.nodeLock.RUnlock()
		return func() []any {
				err := m.Leave(50 * time.Millisecond)
				m.nodeLock.RLock()
				defer m.nodeLock.RUnlock()
				return []any{err, "state left", self.State == StateLeft}
			},
			func() []any {
				m.suspectNode(&suspect{Incarnation: self.Incarnation, Node: m.config.Name, From: "other"})
				return nil
			},
			nil
	}); err != nil {
		t.Error(err)
	}
}
