package logfilter

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"sync"
	"sync/atomic"
)

const cacheShards = 16

type shard struct {
	mu       sync.RWMutex
	patterns map[string]*regexp.Regexp
}

// Cache keeps compiled patterns.
type Cache struct {
	shards   [cacheShards]shard
	perShard int
	compiled atomic.Int64
}

// NewCache returns a cache for about size patterns.
func NewCache(size int) *Cache {
	c := &Cache{perShard: max(1, size/cacheShards)}
	for i := range c.shards {
		c.shards[i].patterns = make(map[string]*regexp.Regexp)
	}
	return c
}

func (c *Cache) shard(expr string) *shard {
	h := uint32(2166136261)
	for i := range len(expr) {
		h = (h ^ uint32(expr[i])) * 16777619
	}
	return &c.shards[h%cacheShards]
}

func (s *shard) get(expr string) *regexp.Regexp {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.patterns[expr]
}

func (s *shard) set(expr string, re *regexp.Regexp, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.patterns[expr]; !ok && len(s.patterns) >= limit {
		for victim := range s.patterns {
			delete(s.patterns, victim)
			break
		}
	}
	s.patterns[expr] = re
}

// Compile returns the compiled form of expr.
func (c *Cache) Compile(expr string) (*regexp.Regexp, error) {
	s := c.shard(expr)
	if re := s.get(expr); re != nil {
		return re, nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("logfilter: pattern %q: %w", expr, err)
	}
	c.compiled.Add(1)
	s.set(expr, re, c.perShard)
	return re, nil
}

// Compiled returns how many patterns were compiled so far.
func (c *Cache) Compiled() int64 { return c.compiled.Load() }

// Query selects lines.
type Query struct {
	Include []string
	Exclude []string
}

// Searcher searches log streams. Search is called by the request handlers.
type Searcher struct {
	cache *Cache
}

// NewSearcher returns a searcher that shares compiled patterns.
func NewSearcher(c *Cache) *Searcher { return &Searcher{cache: c} }

func (s *Searcher) compileAll(exprs []string) ([]*regexp.Regexp, error) {
	out := make([]*regexp.Regexp, 0, len(exprs))
	for _, e := range exprs {
		re, err := s.cache.Compile(e)
		if err != nil {
			return nil, err
		}
		out = append(out, re)
	}
	return out, nil
}

func matchAny(res []*regexp.Regexp, line []byte) bool {
	for _, re := range res {
		if re.Match(line) {
			return true
		}
	}
	return false
}

// Search calls fn with every line that q selects.
func (s *Searcher) Search(ctx context.Context, r io.Reader, q Query, fn func(line []byte) error) error {
	include, err := s.compileAll(q.Include)
	if err != nil {
		return err
	}
	exclude, err := s.compileAll(q.Exclude)
	if err != nil {
		return err
	}
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		if err := ctx.Err(); err != nil {
			return err
		}
		line := sc.Bytes()
		if len(include) > 0 && !matchAny(include, line) || matchAny(exclude, line) {
			continue
		}
		if err := fn(line); err != nil {
			return err
		}
	}
	return sc.Err()
}
