package tracker

import "time"

const trackTimeout = 5 * time.Minute

type MsgReadWriter interface {
	WriteMsg(code uint64, id uint64) error
	ReadMsg() (Response, error)
}

// Peer is a collection of relevant information we have about an `eth` peer.
type Peer struct {
	id      string
	rw      MsgReadWriter
	tracker *Tracker
	term    chan struct{} // Termination channel to stop the broadcasters
}

// NewPeer creates a wrapper for a network connection.
func NewPeer(id string, rw MsgReadWriter) *Peer {
	return &Peer{id: id, rw: rw, tracker: New("eth", id, trackTimeout), term: make(chan struct{})}
}

// Close signals the broadcast goroutine to terminate.
func (p *Peer) Close() {
	close(p.term)
	p.tracker.Stop()
}

// RequestHeaders fetches a batch of blocks' headers.
func (p *Peer) RequestHeaders(id uint64, amount int) error {
	if err := p.tracker.Track(Request{ID: id, Size: amount, ReqCode: 3, RespCode: 4}); err != nil {
		return err
	}
	return p.rw.WriteMsg(3, id)
}

// Handle is invoked whenever an `eth` connection is made.
func (p *Peer) Handle() error {
	defer p.Close()
	for {
		resp, err := p.rw.ReadMsg()
		if err != nil {
			return err
		}
		if err := p.tracker.Fulfil(resp); err != nil {
			return err
		}
	}
}
