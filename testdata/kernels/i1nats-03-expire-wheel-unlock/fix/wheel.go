package memstore

import (
	"math"
	"time"
)

const (
	tick      = int64(time.Second)
	wheelSize = 1 << 8
	wheelMask = wheelSize - 1
)

// slot holds the tasks of one tick, and of that tick in later rounds.
type slot struct {
	entries map[uint64]int64 // sequence -> expires
	lowest  int64
}

// hashWheel is a timed hash wheel. It is not safe for concurrent use.
type hashWheel struct {
	wheel  [wheelSize]*slot
	lowest int64
	count  uint64
}

func newHashWheel() *hashWheel { return &hashWheel{lowest: math.MaxInt64} }

func position(expires int64) int64 { return (expires / tick) & wheelMask }

func (hw *hashWheel) add(seq uint64, expires int64) {
	pos := position(expires)
	s := hw.wheel[pos]
	if s == nil {
		s = &slot{entries: make(map[uint64]int64), lowest: math.MaxInt64}
		hw.wheel[pos] = s
	}
	if _, ok := s.entries[seq]; !ok {
		hw.count++
	}
	s.entries[seq] = expires
	if expires < s.lowest {
		s.lowest = expires
		if expires < hw.lowest {
			hw.lowest = expires
		}
	}
}

func (hw *hashWheel) updateLowest() {
	hw.lowest = math.MaxInt64
	for _, s := range hw.wheel {
		if s != nil && s.lowest < hw.lowest {
			hw.lowest = s.lowest
		}
	}
}

// expireTasks calls fn for what expired; the task is dropped if fn returns true.
func (hw *hashWheel) expireTasks(now int64, fn func(seq uint64, expires int64) bool) {
	if hw.lowest > now {
		return
	}
	for pos := range hw.wheel {
		s := hw.wheel[pos]
		if s == nil || s.lowest > now {
			continue
		}
		newLowest := int64(math.MaxInt64)
		for seq, expires := range s.entries {
			if expires <= now && fn(seq, expires) {
				delete(s.entries, seq)
				hw.count--
				continue
			}
			if expires < newLowest {
				newLowest = expires
			}
		}
		if len(s.entries) == 0 {
			hw.wheel[pos] = nil
		} else {
			s.lowest = newLowest
		}
	}
	hw.updateLowest()
}

// nextExpiration returns the time of the next task, or MaxInt64.
func (hw *hashWheel) nextExpiration() int64 { return hw.lowest }
