// Package bug evaluates feature flags from a ruleset that is polled.
package bug

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"
)

var ErrNotReady = errors.New("flags: no ruleset yet")

// Rule says who gets a flag. Segment is an index that is only valid within the
// ruleset the rule came with; -1 stands for everyone.
type Rule struct {
	Segment int
	Percent uint32
	Denied  bool
}

// Ruleset is one published state of all flags. It is not changed afterwards.
type Ruleset struct {
	Revision uint64
	Rules    map[string]Rule
	Segments []map[string]bool
}

// Fetcher gets the newest ruleset.
type Fetcher interface {
	Fetch(ctx context.Context, since uint64) (*Ruleset, error)
}

// source keeps the newest ruleset.
type source struct {
	fetcher Fetcher
	latest  atomic.Pointer[Ruleset]
}

func (s *source) ruleset() *Ruleset {
	return s.latest.Load()
}

func (s *source) refresh(ctx context.Context) error {
	var since uint64
	if rs := s.latest.Load(); rs != nil {
		since = rs.Revision
	}
	rs, err := s.fetcher.Fetch(ctx, since)
	if err != nil {
		return err
	}
	if rs != nil {
		s.latest.Store(rs)
	}
	return nil
}

// Client answers questions about flags.
type Client struct {
	src *source

	mu      sync.Mutex
	lastErr error
}

// NewClient fetches the first ruleset and keeps it fresh until ctx is done.
func NewClient(ctx context.Context, f Fetcher, every time.Duration) *Client {
	c := &Client{src: &source{fetcher: f}}
	c.note(c.src.refresh(ctx))
	go c.poll(ctx, every)
	return c
}

func (c *Client) poll(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			c.note(c.src.refresh(ctx))
		case <-ctx.Done():
			return
		}
	}
}

func (c *Client) note(err error) {
	c.mu.Lock()
	c.lastErr = err
	c.mu.Unlock()
}

// LastError is the outcome of the last poll.
func (c *Client) LastError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lastErr
}

func (c *Client) rule(flag string) (Rule, bool, error) {
	rs := c.src.ruleset()
	if rs == nil {
		return Rule{}, false, ErrNotReady
	}
	r, ok := rs.Rules[flag]
	return r, ok, nil
}

func (c *Client) inSegment(segment int, user string) bool {
	if segment < 0 {
		return true
	}
	segs := c.src.ruleset().Segments
	return segment < len(segs) && segs[segment][user]
}

func bucket(flag, user string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(flag))
	h.Write([]byte{0})
	h.Write([]byte(user))
	return h.Sum32() % 100
}

// Enabled tells whether a user has a flag; unknown flags are off.
func (c *Client) Enabled(flag, user string) (bool, error) {
	r, ok, err := c.rule(flag)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, nil
	}
	member := c.inSegment(r.Segment, user)
	if r.Denied {
		return !member, nil
	}
	return member && bucket(flag, user) < r.Percent, nil
}

// Revision is the number of the ruleset in use.
func (c *Client) Revision() uint64 {
	if rs := c.src.ruleset(); rs != nil {
		return rs.Revision
	}
	return 0
}
