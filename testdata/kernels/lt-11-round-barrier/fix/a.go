package runner

import (
	"errors"
	"sync"
)

var errWaitFollowers = errors.New("waiting on followers")

// election hands the leadership of a round to one of the clients.
type election struct {
	mu     sync.Mutex
	leader string
	free   chan struct{}
}

func newElection() *election {
	e := &election{free: make(chan struct{}, 1)}
	e.free <- struct{}{}
	return e
}

func (e *election) campaign(v string) {
	<-e.free
	e.mu.Lock()
	e.leader = v
	e.mu.Unlock()
}

func (e *election) current() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.leader
}

func (e *election) resign() {
	e.mu.Lock()
	e.leader = ""
	e.mu.Unlock()
	e.free <- struct{}{}
}

// round is shared by the clients; nextc is closed when the round is over.
type round struct {
	validatec chan struct{}

	mu    sync.Mutex
	nextc chan struct{}
}

func newRound(clients int) *round {
	return &round{
		validatec: make(chan struct{}, clients),
		nextc:     make(chan struct{}),
	}
}

func (r *round) next() chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nextc
}

func (r *round) finish() {
	r.mu.Lock()
	old := r.nextc
	r.nextc = make(chan struct{})
	r.mu.Unlock()
	close(old)
}

type client struct {
	name    string
	e       *election
	r       *round
	waiters int
	nextc   chan struct{}
}

func (c *client) acquire(clients int) {
	c.e.campaign(c.name)
	c.waiters = clients
}

func (c *client) validate() {
	c.nextc = c.r.next()
	c.r.validatec <- struct{}{}
}

func (c *client) release() error {
	lead := c.e.current() == c.name
	for lead && c.waiters > 0 {
		select {
		case <-c.r.validatec:
			c.waiters--
		default:
			return errWaitFollowers
		}
	}
	if lead {
		c.e.resign()
		c.r.finish()
	}
	<-c.nextc
	return nil
}

func doRounds(e *election, names []string, rounds int) {
	r := newRound(len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Add(1)
		c := &client{name: name, e: e, r: r}
		go func(first bool) {
			defer wg.Done()
			for n := 0; n < rounds; n++ {
				if first {
					c.acquire(len(names))
				}
				c.validate()
				for c.release() != nil {
				}
			}
		}(i == 0)
	}
	wg.Wait()
}
