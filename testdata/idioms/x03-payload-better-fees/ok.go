// Package ok builds block payloads in the background.
package ok

import (
	"math/big"
	"sync"
	"time"
)

// Block is immutable.
type Block struct {
	Fees *big.Int
	Body []byte
}

// Payload is the best block so far.
type Payload struct {
	empty *Block
	stop  chan struct{}

	lock sync.Mutex
	cond *sync.Cond
	full *Block
	fees *big.Int
}

func newPayload(empty *Block) *Payload {
	p := &Payload{empty: empty, stop: make(chan struct{})}
	p.cond = sync.NewCond(&p.lock)
	return p
}

// update updates the full-block with latest built version.
func (p *Payload) update(b *Block) {
	p.lock.Lock()
	defer p.lock.Unlock()
	select {
	case <-p.stop:
		return // reject stale update
	default:
	}
	// Ensure the newly provided full block has a higher transaction fee.
	if p.full == nil || b.Fees.Cmp(p.fees) > 0 {
		p.full = b
		p.fees = b.Fees
	}
	p.cond.Broadcast() // fire signal for notifying full block
}

// Resolve returns the latest built payload and terminates the building.
func (p *Payload) Resolve() *Block {
	p.lock.Lock()
	defer p.lock.Unlock()
	select {
	case <-p.stop:
	default:
		close(p.stop)
	}
	if p.full != nil {
		return p.full
	}
	return p.empty
}

// WaitFull waits for the first full block.
func (p *Payload) WaitFull() *Block {
	p.lock.Lock()
	defer p.lock.Unlock()
	for p.full == nil {
		p.cond.Wait()
	}
	return p.full
}

// Build rebuilds the payload again and again.
func Build(empty *Block, fill func() *Block, recommit, end time.Duration) *Payload {
	p := newPayload(empty)
	go func() {
		timer := time.NewTimer(0)
		defer timer.Stop()
		endTimer := time.NewTimer(end)
		defer endTimer.Stop()
		for {
			select {
			case <-timer.C:
				if b := fill(); b != nil {
					p.update(b)
				}
				timer.Reset(recommit)
			case <-p.stop:
				return
			case <-endTimer.C:
				return
			}
		}
	}()
	return p
}
