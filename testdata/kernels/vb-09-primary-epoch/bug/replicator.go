package replica

import "time"

type Vote struct {
	Winner string
	Epoch  int64
}

// Sender ships one batch; the receiver fences batches of older epochs.
type Sender interface {
	Send(addr string, epoch int64, batch [][]byte) error
}

type Replicator struct {
	top  *Topology
	out  Sender
	in   chan [][]byte
	errs chan error
}

func NewReplicator(self string, out Sender, votes <-chan Vote) *Replicator {
	r := &Replicator{
		top:  &Topology{primary: self},
		out:  out,
		in:   make(chan [][]byte, 64),
		errs: make(chan error, 1),
	}
	go r.watch(votes)
	go r.ship()
	return r
}

func (r *Replicator) Submit(batch [][]byte, wait time.Duration) bool {
	select {
	case r.in <- batch:
		return true
	case <-time.After(wait):
		return false
	}
}

func (r *Replicator) watch(votes <-chan Vote) {
	for v := range votes {
		if _, known := r.top.Current(); v.Epoch <= known {
			continue
		}
		r.top.SetEpoch(v.Epoch)
		r.top.SetPrimary(v.Winner)
	}
}

func (r *Replicator) ship() {
	for batch := range r.in {
		addr, epoch := r.top.Current()
		if err := r.out.Send(addr, epoch, batch); err != nil {
			select {
			case r.errs <- err:
			default:
			}
		}
	}
}
