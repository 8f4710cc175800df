package a

import (
	"hash/maphash"
	"sync"
)

const shards = 16

type recipe struct {
	dish  string
	steps []string
}

type shard struct {
	mu sync.RWMutex
	m  map[string]*recipe
}

func (s *shard) peek(dish string) (*recipe, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.m[dish]
	return r, ok
}

func (s *shard) fill(dish string, r *recipe) *recipe {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cur, ok := s.m[dish]; ok {
		return cur
	}
	s.m[dish] = r
	return r
}

// Cookbook shares parsed recipes between the cooks of a kitchen.
type Cookbook struct {
	seed  maphash.Seed
	parse func(dish string) ([]string, error)
	parts [shards]shard
}

func NewCookbook(parse func(string) ([]string, error)) *Cookbook {
	c := &Cookbook{seed: maphash.MakeSeed(), parse: parse}
	for i := range c.parts {
		c.parts[i].m = make(map[string]*recipe)
	}
	return c
}

func (c *Cookbook) part(dish string) *shard {
	return &c.parts[maphash.String(c.seed, dish)%shards]
}

func (c *Cookbook) recipe(dish string) (*recipe, error) {
	s := c.part(dish)
	if r, ok := s.peek(dish); ok {
		return r, nil
	}
	steps, err := c.parse(dish)
	if err != nil {
		return nil, err
	}
	return s.fill(dish, &recipe{dish: dish, steps: steps}), nil
}

// Step tells what to do next.
func (c *Cookbook) Step(dish string, n int) (string, error) {
	r, err := c.recipe(dish)
	if err != nil || n >= len(r.steps) {
		return "", err
	}
	return r.steps[n], nil
}

// Known tells whether the recipe has been parsed.
func (c *Cookbook) Known(dish string) bool {
	_, ok := c.part(dish).peek(dish)
	return ok
}
