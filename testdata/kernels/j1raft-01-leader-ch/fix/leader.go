package consensus

import "context"

// Server owns the services that run only on the leader.
type Server struct {
	raft *Raft

	// Establish restores what the leader needs; it may take a while.
	Establish func() error
	// Serve runs until the context is done.
	Serve func(context.Context)
}

// NewServer returns a server without services.
func NewServer(r *Raft) *Server { return &Server{raft: r} }

// MonitorLeadership is used to monitor if we acquire or lose our role
// as the leader. It returns when the context is done.
func (s *Server) MonitorLeadership(ctx context.Context) {
	stop := func() {}
	defer func() { stop() }()
	for {
		select {
		case isLeader := <-s.raft.LeaderCh():
			stop()
			stop = func() {}
			if !isLeader {
				continue
			}
			if err := s.Establish(); err != nil {
				s.raft.conf.Logger.Printf("failed to establish leadership: %v", err)
				continue
			}
			lctx, cancel := context.WithCancel(ctx)
			done := make(chan struct{})
			go func() {
				defer close(done)
				s.Serve(lctx)
			}()
			stop = func() { cancel(); <-done }
		case <-ctx.Done():
			return
		}
	}
}
