package indexer

import (
	"context"
	"sync"
	"time"
)

// Doc is one change of the source database.
type Doc struct {
	Seq uint64
	ID  string
}

// checkpoint is the highest position a shard has applied.
type checkpoint struct {
	mu  sync.RWMutex
	seq uint64
}

func (c *checkpoint) load() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.seq
}

// raise never lowers the checkpoint.
func (c *checkpoint) raise(seq uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq = max(c.seq, seq)
}

// Engine applies documents to a shard of the index. Of every document it keeps
// the change with the highest Seq, so the order of calls does not matter.
type Engine interface {
	Apply(ctx context.Context, shard int, docs []Doc) error
}

// Indexer feeds the shards from the change feed and from replays that
// operators start. Feed and replay each apply whole prefixes of the log.
type Indexer struct {
	engine Engine
	shards []*checkpoint
}

func New(e Engine, shards int) *Indexer {
	ix := &Indexer{engine: e}
	for range shards {
		ix.shards = append(ix.shards, new(checkpoint))
	}
	return ix
}

// ApplyPrefix applies docs, which reach back to the shard's checkpoint or
// further.
func (ix *Indexer) ApplyPrefix(ctx context.Context, shard int, docs []Doc) error {
	cp := ix.shards[shard]
	done := cp.load()
	for len(docs) > 0 && docs[0].Seq <= done {
		docs = docs[1:]
	}
	if len(docs) == 0 {
		return nil
	}
	if err := ix.engine.Apply(ctx, shard, docs); err != nil {
		return err
	}
	cp.raise(docs[len(docs)-1].Seq)
	return nil
}

// Positions is shown to operators.
func (ix *Indexer) Positions() []uint64 {
	out := make([]uint64, len(ix.shards))
	for i, cp := range ix.shards {
		out[i] = cp.load()
	}
	return out
}

// Feed reads the changes of one shard until ctx ends.
func (ix *Indexer) Feed(ctx context.Context, shard int, read func(ctx context.Context, after uint64) ([]Doc, error)) {
	go func() {
		for ctx.Err() == nil {
			docs, err := read(ctx, ix.shards[shard].load())
			if err == nil {
				err = ix.ApplyPrefix(ctx, shard, docs)
			}
			if err != nil {
				time.Sleep(time.Second)
			}
		}
	}()
}
