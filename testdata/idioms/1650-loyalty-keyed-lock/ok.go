package a

import (
	"errors"
	"hash/maphash"
	"sync"
)

var ErrShort = errors.New("loyalty: not enough points")

type Account struct {
	Points int64
	Tier   string
}

type store struct {
	mu   sync.RWMutex
	rows map[string]Account
}

func (s *store) get(member string) Account {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rows[member]
}

func (s *store) put(member string, a Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[member] = a
}

type Club struct {
	seed    maphash.Seed
	stripes [64]sync.Mutex
	store   store
}

func NewClub() *Club {
	return &Club{seed: maphash.MakeSeed(), store: store{rows: make(map[string]Account)}}
}

func (c *Club) stripe(member string) int {
	return int(maphash.String(c.seed, member) % uint64(len(c.stripes)))
}

func (c *Club) hold(member string) (release func()) {
	mu := &c.stripes[c.stripe(member)]
	mu.Lock()
	return mu.Unlock
}

func (c *Club) holdBoth(a, b string) (release func()) {
	i, j := c.stripe(a), c.stripe(b)
	if i == j {
		return c.hold(a)
	}
	if i > j {
		i, j = j, i
	}
	c.stripes[i].Lock()
	c.stripes[j].Lock()
	return func() {
		c.stripes[j].Unlock()
		c.stripes[i].Unlock()
	}
}

func tier(points int64) string {
	switch {
	case points >= 50000:
		return "gold"
	case points >= 10000:
		return "silver"
	}
	return "basic"
}

func (c *Club) add(member string, points int64) error {
	acc := c.store.get(member)
	if acc.Points+points < 0 {
		return ErrShort
	}
	acc.Points += points
	acc.Tier = tier(acc.Points)
	c.store.put(member, acc)
	return nil
}

func (c *Club) Earn(member string, points int64) error {
	defer c.hold(member)()
	return c.add(member, points)
}

func (c *Club) Spend(member string, points int64) error {
	defer c.hold(member)()
	return c.add(member, -points)
}

func (c *Club) Gift(from, to string, points int64) error {
	if from == to || points <= 0 {
		return nil
	}
	defer c.holdBoth(from, to)()
	if err := c.add(from, -points); err != nil {
		return err
	}
	return c.add(to, points)
}

func (c *Club) Account(member string) Account {
	return c.store.get(member)
}
