package logquery

import (
	"context"
	"errors"
	"sync"
)

// Special block numbers.
const (
	LatestBlock    int64 = -1
	FinalizedBlock int64 = -2
)

var (
	errBadRange = errors.New("invalid block range")
	errNoBlock  = errors.New("unknown block")
)

// LogEntry is one log of a block.
type LogEntry struct {
	Block uint64
	Topic string
}

// Chain is the local chain. Blocks are added by the importer while queries
// are running.
type Chain struct {
	mu        sync.RWMutex
	head      uint64
	finalized uint64
	logs      map[uint64][]LogEntry
}

// NewChain returns a chain with an empty first block.
func NewChain() *Chain {
	return &Chain{logs: make(map[uint64][]LogEntry)}
}

// AddBlock appends a block.
func (c *Chain) AddBlock(topics ...string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head++
	for _, t := range topics {
		c.logs[c.head] = append(c.logs[c.head], LogEntry{Block: c.head, Topic: t})
	}
	if c.head > 64 {
		c.finalized = c.head - 64
	}
	return c.head
}

// Head returns the number of the newest block.
func (c *Chain) Head() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.head
}

// Finalized returns the number of the newest final block.
func (c *Chain) Finalized() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.finalized
}

func (c *Chain) logsOf(n uint64) []LogEntry {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.logs[n]
}

// Import adds blocks from a feed in the background.
func (c *Chain) Import(feed <-chan []string) {
	go func() {
		for topics := range feed {
			c.AddBlock(topics...)
		}
	}()
}

// Query selects the logs of a range of blocks.
type Query struct {
	chain      *Chain
	begin, end int64
	topic      string
}

// NewQuery returns a query; begin and end may be special numbers.
func NewQuery(c *Chain, begin, end int64, topic string) *Query {
	return &Query{chain: c, begin: begin, end: end, topic: topic}
}

// NewBlockQuery returns a query for one block.
func NewBlockQuery(c *Chain, n int64, topic string) *Query {
	return NewQuery(c, n, n, topic)
}

func (q *Query) resolve(n int64) (uint64, error) {
	switch {
	case n == LatestBlock:
		return q.chain.Head(), nil
	case n == FinalizedBlock:
		return q.chain.Finalized(), nil
	case n < 0:
		return 0, errNoBlock
	}
	return uint64(n), nil
}

// Logs runs the query.
func (q *Query) Logs(ctx context.Context) ([]LogEntry, error) {
	begin, err := q.resolve(q.begin)
	if err != nil {
		return nil, err
	}
	end := begin
	if q.begin != q.end {
		if end, err = q.resolve(q.end); err != nil {
			return nil, err
		}
	}
	if begin > end {
		return nil, errBadRange
	}
	return q.scan(ctx, begin, end)
}

func (q *Query) scan(ctx context.Context, begin, end uint64) ([]LogEntry, error) {
	var res []LogEntry
	for n := begin; n <= end; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, l := range q.chain.logsOf(n) {
			if q.topic == "" || q.topic == l.Topic {
				res = append(res, l)
			}
		}
	}
	return res, nil
}
