package weightedroundrobin

import (
	"sync"
	"sync/atomic"
	"time"
)

// LoadReport is sent by a backend with a response.
type LoadReport struct {
	Utilization, QPS, EPS float64
}

type endpointWeight struct {
	// The following fields are only accessed on calls into the LB policy, and
	// do not need a mutex.
	addr string

	mu            sync.Mutex
	weightVal     float64
	nonEmptySince time.Time
	lastUpdated   time.Time
	penalty       float64
}

func (w *endpointWeight) OnLoadReport(load *LoadReport) {
	if load.Utilization == 0 || load.QPS == 0 {
		return
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	errorRate := load.EPS / load.QPS
	w.weightVal = load.QPS / (load.Utilization + errorRate*w.penalty)
	w.lastUpdated = time.Now()
	if w.nonEmptySince.IsZero() {
		w.nonEmptySince = w.lastUpdated
	}
}

// weight returns the current effective weight of the endpoint, taking into
// account the parameters. Returns 0 for blacked out or expired data.
func (w *endpointWeight) weight(now time.Time, expiration, blackout time.Duration) float64 {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.lastUpdated.IsZero() {
		return 0
	}
	// If the most recent update was longer ago than the expiration period,
	// reset nonEmptySince so that we apply the blackout period again.
	if now.Sub(w.lastUpdated) >= expiration {
		w.nonEmptySince = time.Time{}
		return 0
	}
	if blackout != 0 && (w.nonEmptySince.IsZero() || now.Sub(w.nonEmptySince) < blackout) {
		return 0
	}
	return w.weightVal
}

// scheduler is immutable.
type scheduler struct {
	inc     func() uint32
	weights []uint16
}

const maxWeight = 65535

func (s *scheduler) nextIndex() int {
	for {
		idx := uint64(s.inc())
		backend := idx % uint64(len(s.weights))
		generation := idx / uint64(len(s.weights))
		weight := uint64(s.weights[backend])
		mod := (weight*generation + backend*maxWeight/2) % maxWeight
		if mod < maxWeight-weight {
			continue
		}
		return int(backend)
	}
}

type picker struct {
	scheduler atomic.Pointer[scheduler]
	idx       atomic.Uint32 // incrementing value used by the scheduler

	weighted             []*endpointWeight // all READY endpoints
	expiration, blackout time.Duration
	updatePeriod         time.Duration
}

func (p *picker) endpointWeights() []float64 {
	wp := make([]float64, len(p.weighted))
	now := time.Now()
	for i, w := range p.weighted {
		wp[i] = w.weight(now, p.expiration, p.blackout)
	}
	return wp
}

func (p *picker) inc() uint32 {
	return p.idx.Add(1)
}

// newScheduler scales the weights, backends without one get the mean.
func (p *picker) newScheduler() *scheduler {
	wp := p.endpointWeights()
	var sum, top float64
	var n int
	for _, w := range wp {
		if w > 0 {
			sum += w
			n++
			top = max(top, w)
		}
	}
	s := &scheduler{inc: p.inc, weights: make([]uint16, len(wp))}
	for i, w := range wp {
		switch {
		case n == 0:
			s.weights[i] = maxWeight
		case w <= 0:
			s.weights[i] = uint16(sum / float64(n) / top * maxWeight)
		default:
			s.weights[i] = uint16(w / top * maxWeight)
		}
	}
	return s
}

func (p *picker) regenerateScheduler() {
	p.scheduler.Store(p.newScheduler())
}

// start is called once, before the picker is handed to the channel.
func (p *picker) start(stop <-chan struct{}) {
	p.regenerateScheduler()
	if len(p.weighted) == 1 {
		// No need to regenerate weights with only one backend.
		return
	}

	go func() {
		ticker := time.NewTicker(p.updatePeriod)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				p.regenerateScheduler()
			}
		}
	}()
}

// Pick returns the address, and what to do with the load report of the response.
func (p *picker) Pick() (string, func(*LoadReport)) {
	// Read the scheduler atomically. If the scheduler is replaced during this usage,
	// we want to use the scheduler that was live when the pick started.
	sched := p.scheduler.Load()

	w := p.weighted[sched.nextIndex()]
	return w.addr, func(load *LoadReport) {
		if load != nil {
			w.OnLoadReport(load)
		}
	}
}
