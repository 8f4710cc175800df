package downloader

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errBusy     = errors.New("busy")
	errCanceled = errors.New("syncing canceled (requested)")
)

// Downloader fetches the chain from peers.
type Downloader struct {
	synchronising atomic.Bool

	// Cancellation and termination
	cancelCh   chan struct{} // Channel to cancel mid-flight syncs
	cancelLock sync.RWMutex  // Lock to protect the cancel channel and peer in delivers

	quitCh   chan struct{} // Quit channel to signal termination
	quitLock sync.Mutex    // Lock to prevent double closes

	fetchers []func(cancel <-chan struct{}) error
}

func New(fetchers ...func(<-chan struct{}) error) *Downloader {
	return &Downloader{quitCh: make(chan struct{}), fetchers: fetchers}
}

// Synchronise runs the fetchers; only one run at a time.
func (d *Downloader) Synchronise() error {
	// Make sure only one goroutine is ever allowed past this point at once
	if !d.synchronising.CompareAndSwap(false, true) {
		return errBusy
	}
	defer d.synchronising.Store(false)

	// Create cancel channel for aborting mid-flight and mark the master peer
	d.cancelLock.Lock()
	d.cancelCh = make(chan struct{})
	cancel := d.cancelCh
	d.cancelLock.Unlock()

	defer d.Cancel() // No matter what, we can't leave the cancel channel open

	select {
	case <-d.quitCh:
		return errCanceled
	default:
	}
	return d.spawnSync(cancel)
}

// spawnSync runs d.process and all given fetcher functions to completion in
// separate goroutines, returning the first error that appears.
func (d *Downloader) spawnSync(cancel <-chan struct{}) error {
	errc := make(chan error, len(d.fetchers))
	var wg sync.WaitGroup
	for _, fn := range d.fetchers {
		fn := fn
		wg.Add(1)
		go func() { defer wg.Done(); errc <- fn(cancel) }()
	}
	// Wait for the first error, then terminate the others.
	var err error
	for i := 0; i < len(d.fetchers); i++ {
		if err = <-errc; err != nil {
			break
		}
	}
	d.cancel()
	wg.Wait()
	return err
}

// cancel aborts all of the operations and resets the queue. However, cancel does
// not wait for the running download goroutines to finish. This method should be
// used when cancelling the downloads from inside the downloader.
func (d *Downloader) cancel() {
	// Close the current cancel channel
	d.cancelLock.Lock()
	defer d.cancelLock.Unlock()

	if d.cancelCh != nil {
		select {
		case <-d.cancelCh:
			// Channel was already closed
		default:
			close(d.cancelCh)
		}
	}
}

// Cancel aborts all of the operations.
func (d *Downloader) Cancel() {
	d.cancel()
}

// Terminate interrupts the downloader, canceling all pending operations.
// The downloader cannot be reused after calling Terminate.
func (d *Downloader) Terminate() {
	// Close the termination channel (make sure double close is allowed)
	d.quitLock.Lock()
	select {
	case <-d.quitCh:
	default:
		close(d.quitCh)
	}
	d.quitLock.Unlock()

	// Cancel any pending download requests
	d.Cancel()
}
