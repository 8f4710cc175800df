// Package rounds collects votes of the validators of a BFT chain.
package rounds

import (
	"context"
	"maps"
	"sync"
)

// Vote is the vote of a validator for a block.
type Vote struct {
	Height    uint64
	Round     uint32
	Validator string
	Block     string
	Sig       []byte
}

// Verifier checks signatures; this takes about a millisecond.
type Verifier interface {
	Verify(v Vote) bool
}

// Status is what the RPC server shows.
type Status struct {
	Height uint64
	Round  uint32
	Votes  map[string]string // validator -> block
}

// Engine counts votes. Its loop owns the round: all changes are made there,
// and the lock is for those who look on.
type Engine struct {
	power  map[string]int64 // fixed
	quorum int64
	verify Verifier
	commit func(height uint64, block string)
	votes  chan Vote
	skip   chan uint32

	mu     sync.RWMutex
	height uint64
	round  uint32
	cast   map[string]string
}

// NewEngine starts the loop at the given height; it ends with the context.
func NewEngine(ctx context.Context, power map[string]int64, height uint64, verify Verifier, commit func(uint64, string)) *Engine {
	e := &Engine{
		power:  maps.Clone(power),
		verify: verify,
		commit: commit,
		votes:  make(chan Vote, 256),
		skip:   make(chan uint32, 1),
		height: height,
		cast:   make(map[string]string),
	}
	var total int64
	for _, p := range e.power {
		total += p
	}
	e.quorum = total*2/3 + 1
	go e.run(ctx)
	return e
}

// Submit hands a vote from the network to the engine.
func (e *Engine) Submit(ctx context.Context, v Vote) error {
	select {
	case e.votes <- v:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Timeout asks the engine to give a round up.
func (e *Engine) Timeout(ctx context.Context, round uint32) error {
	select {
	case e.skip <- round:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Status returns the state of the current round.
func (e *Engine) Status() Status {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return Status{Height: e.height, Round: e.round, Votes: maps.Clone(e.cast)}
}

func (e *Engine) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case v := <-e.votes:
			e.onVote(v)
		case r := <-e.skip:
			if h, cur := e.position(); r == cur {
				e.enter(h, cur+1)
			}
		}
	}
}

func (e *Engine) position() (uint64, uint32) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.height, e.round
}

func (e *Engine) seen(validator string) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	_, ok := e.cast[validator]
	return ok
}

func (e *Engine) onVote(v Vote) {
	h, r := e.position()
	if v.Height != h || v.Round != r || e.power[v.Validator] == 0 || e.seen(v.Validator) {
		return
	}
	if !e.verify.Verify(v) {
		return
	}
	e.mu.Lock()
	e.cast[v.Validator] = v.Block
	e.mu.Unlock()
	if e.tally(v.Block) >= e.quorum {
		e.commit(h, v.Block)
		e.enter(h+1, 0)
	}
}

func (e *Engine) tally(block string) (sum int64) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	for val, b := range e.cast {
		if b == block {
			sum += e.power[val]
		}
	}
	return sum
}

func (e *Engine) enter(height uint64, round uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.height, e.round = height, round
	e.cast = make(map[string]string)
}
