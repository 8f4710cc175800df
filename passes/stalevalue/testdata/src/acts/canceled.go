package acts

import (
	"context"
	"sync"
	"sync/atomic"
)

// A Stove is ended by its context, and burns what is left at the end.
type Stove struct {
	out    atomic.Bool
	logs   chan int
	ctx    context.Context
	cancel func()
	wg     sync.WaitGroup
}

func NewStove() *Stove {
	s := &Stove{logs: make(chan int, 8)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wg.Add(1)
	go s.burn()
	return s
}

func (s *Stove) burn() {
	defer s.wg.Done()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.logs:
		}
	}
}

// Feed may add a log that nobody burns.
func (s *Stove) Feed(log int) bool {
	if s.out.Load() {
		return false
	}
	s.logs <- log // want `s\.out was checked at line \d+, but the atomic operations are separate and another goroutine may set it, and have s\.logs emptied for the last time, before this send`
	return true
}

// FeedOrEmpty looks again, and empties the stove if it was put out.
func (s *Stove) FeedOrEmpty(log int) bool {
	if s.out.Load() {
		return false
	}
	s.logs <- log
	if s.out.Load() {
		s.empty()
	}
	return true
}

func (s *Stove) empty() {
	for {
		select {
		case <-s.logs:
		default:
			return
		}
	}
}

// PutOut ends it.
func (s *Stove) PutOut() {
	s.out.Store(true)
	s.cancel()
	s.wg.Wait()
	s.empty()
}

// An Oven hands its context, and a channel, to those who work in it.
type Oven struct {
	out    atomic.Bool
	loaves chan int
	quit   chan struct{}
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

func NewOven(bakers int) *Oven {
	ctx, cancel := context.WithCancel(context.Background())
	o := &Oven{loaves: make(chan int, 8), quit: make(chan struct{}), cancel: cancel}
	for range bakers {
		o.wg.Go(func() { o.bake(ctx) })
	}
	o.wg.Add(1)
	go o.taste(o.quit)
	return o
}

func (o *Oven) bake(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.loaves:
		}
	}
}

func (o *Oven) taste(quit <-chan struct{}) {
	defer o.wg.Done()
	for {
		select {
		case <-quit:
			return
		case <-o.loaves:
		}
	}
}

func (o *Oven) Put(loaf int) bool {
	if o.out.Load() {
		return false
	}
	o.loaves <- loaf // want `o\.out was checked at line \d+, but the atomic operations are separate and another goroutine may set it, and have o\.loaves emptied for the last time, before this send`
	return true
}

// PutOut ends both.
func (o *Oven) PutOut() {
	o.out.Store(true)
	o.cancel()
	close(o.quit)
	o.wg.Wait()
	for {
		select {
		case <-o.loaves:
		default:
			return
		}
	}
}

// A Grill has two contexts: that of the one who turns is not ended.
type Grill struct {
	out       atomic.Bool
	steaks    chan int
	fire      context.Context
	cancel    context.CancelFunc
	turn      context.Context
	letTurn   context.CancelFunc
	turns, wg sync.WaitGroup
}

func NewGrill() *Grill {
	g := &Grill{steaks: make(chan int, 8)}
	g.fire, g.cancel = context.WithCancel(context.Background())
	g.turn, g.letTurn = context.WithCancel(context.Background())
	g.turns.Add(1)
	go g.turner()
	return g
}

func (g *Grill) turner() {
	defer g.turns.Done()
	for {
		select {
		case <-g.turn.Done():
			return
		case <-g.steaks:
		}
	}
}

func (g *Grill) Put(steak int) bool {
	if g.out.Load() {
		return false
	}
	g.steaks <- steak
	return true
}

// PutOut lets the turner take what is left.
func (g *Grill) PutOut() {
	g.out.Store(true)
	g.cancel()
	g.wg.Wait()
	for {
		select {
		case <-g.steaks:
		default:
			return
		}
	}
}

// Remove ends the turner, too.
func (g *Grill) Remove() {
	g.letTurn()
	g.turns.Wait()
}
