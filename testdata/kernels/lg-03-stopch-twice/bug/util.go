package server

// StopCh is used to propagate the stop information of a container.
type StopCh chan struct{}

// Stop close stopCh of the container.
func (ch StopCh) Stop() {
	close(ch)
}

// Stopped return the stopCh of the container as a readonly channel.
func (ch StopCh) Stopped() <-chan struct{} {
	return ch
}
