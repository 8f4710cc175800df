package acts

import (
	"sync"
	"sync/atomic"
)

// A Press has sheets that wait for it. Stop has the ones that are left printed, and ends the worker.
type Press struct {
	mu      sync.Mutex
	stopped bool
	sheets  chan int
	quit    chan struct{}
	done    sync.WaitGroup
	put     func(int)
}

func NewPress(put func(int)) *Press {
	p := &Press{sheets: make(chan int, 16), quit: make(chan struct{}), put: put}
	p.done.Add(1)
	go p.work()
	return p
}

func (p *Press) work() {
	defer p.done.Done()
	for {
		select {
		case n := <-p.sheets:
			p.put(n)
		case <-p.quit:
			return
		}
	}
}

func (p *Press) running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.stopped
}

// Print may come after the last sheet was taken out.
func (p *Press) Print(n int) bool {
	if !p.running() {
		return false
	}
	select { // want `check-then-act: p.stopped was checked at line \d+, but p.mu was released when running returned and another goroutine may set it, and have p.sheets emptied for the last time, before this send`
	case p.sheets <- n:
		return true
	default:
		return false
	}
}

// PrintOrEnd also waits for the end: the two may be chosen by chance, which the callers know.
func (p *Press) PrintOrEnd(n int) bool {
	if !p.running() {
		return false
	}
	select {
	case p.sheets <- n:
		return true
	case <-p.quit:
		return false
	}
}

// PrintLocked keeps Stop out.
func (p *Press) PrintLocked(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return false
	}
	select {
	case p.sheets <- n:
		return true
	default:
		return false
	}
}

func (p *Press) Stop() {
	p.mu.Lock()
	if p.stopped {
		p.mu.Unlock()
		return
	}
	p.stopped = true
	p.mu.Unlock()
	close(p.quit)
	p.done.Wait()
	p.drain()
}

func (p *Press) drain() {
	for {
		select {
		case n := <-p.sheets:
			p.put(n)
		default:
			return
		}
	}
}

// A Plotter drains its channel, but somebody else receives from it, too.
type Plotter struct {
	mu      sync.Mutex
	stopped bool
	sheets  chan int
	quit    chan struct{}
}

func NewPlotter(put func(int)) *Plotter {
	p := &Plotter{sheets: make(chan int, 16), quit: make(chan struct{})}
	go p.forward(put)
	return p
}

func (p *Plotter) forward(put func(int)) {
	for n := range p.sheets {
		put(n)
	}
}

func (p *Plotter) Print(n int) bool {
	p.mu.Lock()
	stopped := p.stopped
	p.mu.Unlock()
	if stopped {
		return false
	}
	p.sheets <- n
	return true
}

func (p *Plotter) Stop(put func(int)) {
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	close(p.quit)
	for {
		select {
		case n := <-p.sheets:
			put(n)
		default:
			return
		}
	}
}

// A Kiln is stopped by who wins the flag, in a callee.
type Kiln struct {
	stopped atomic.Bool
	pots    chan int
	quit    chan struct{}
	done    sync.WaitGroup
	burn    func(int)
}

func NewKiln(burn func(int)) *Kiln {
	k := &Kiln{pots: make(chan int, 16), quit: make(chan struct{}), burn: burn}
	k.done.Add(1)
	go k.work()
	return k
}

func (k *Kiln) work() {
	defer k.done.Done()
	for {
		select {
		case n := <-k.pots:
			k.burn(n)
		case <-k.quit:
			return
		}
	}
}

func (k *Kiln) Put(n int) bool {
	if k.stopped.Load() {
		return false
	}
	select { // want `check-then-act: k.stopped was checked at line \d+, but the atomic operations are separate`
	case k.pots <- n:
		return true
	default:
		return false
	}
}

func (k *Kiln) markStopped() bool { return k.stopped.CompareAndSwap(false, true) }

func (k *Kiln) Stop() {
	if !k.markStopped() {
		return
	}
	close(k.quit)
	k.done.Wait()
	for {
		select {
		case n := <-k.pots:
			k.burn(n)
		default:
			return
		}
	}
}
