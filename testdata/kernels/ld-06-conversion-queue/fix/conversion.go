package blobpool

import (
	"errors"
	"log"
	"slices"
	"sync/atomic"
)

// maxPendingConversionTasks caps the number of pending conversion tasks. This
// prevents excessive memory usage.
const maxPendingConversionTasks = 2048

type convertResult struct {
	ptx *blobTx
	err error
}

// txConvert represents a conversion task with an attached legacy blob transaction.
type txConvert struct {
	tx   *blobTx            // Legacy blob transaction
	done chan convertResult // Channel for signaling back if the conversion succeeds
}

// conversionQueue is a dedicated queue for converting legacy blob transactions
// received from the network after the Osaka fork. Since conversion is expensive,
// it is performed in the background by a single thread, ensuring the main Geth
// process is not overloaded.
type conversionQueue struct {
	tasks           chan *txConvert
	startConversion chan func()
	quit            chan struct{}
	closed          chan struct{}

	queue    []func()
	taskDone chan struct{}
}

// newConversionQueue constructs the conversion queue.
func newConversionQueue() *conversionQueue {
	q := &conversionQueue{
		tasks:           make(chan *txConvert),
		startConversion: make(chan func()),
		quit:            make(chan struct{}),
		closed:          make(chan struct{}),
	}
	go q.loop()
	return q
}

// convert accepts a legacy blob transaction with version-0 blobs and queues it
// for conversion.
//
// This function may block for a long time until the transaction is processed.
func (q *conversionQueue) convert(tx *blobTx) (*blobTx, error) {
	done := make(chan convertResult, 1)
	select {
	case q.tasks <- &txConvert{tx: tx, done: done}:
		res := <-done
		return res.ptx, res.err
	case <-q.closed:
		return nil, errors.New("conversion queue closed")
	}
}

// launchConversion starts a conversion task in the background.
func (q *conversionQueue) launchConversion(fn func()) error {
	select {
	case q.startConversion <- fn:
		return nil
	case <-q.closed:
		return errors.New("conversion queue closed")
	}
}

// close terminates the conversion queue.
func (q *conversionQueue) close() {
	close(q.quit)
	<-q.closed
}

// run converts a batch of legacy blob txs to the new cell proof format.
func (q *conversionQueue) run(tasks []*txConvert, done chan struct{}, interrupt *atomic.Int32) {
	defer close(done)

	for _, t := range tasks {
		if interrupt != nil && interrupt.Load() != 0 {
			t.done <- convertResult{err: errors.New("conversion is interrupted")}
			continue
		}
		t.done <- convertResult{ptx: t.tx.convert()}
	}
}

func (q *conversionQueue) loop() {
	defer close(q.closed)

	var (
		done      chan struct{} // Non-nil if background routine is active
		interrupt *atomic.Int32 // Flag to signal conversion interruption

		// The pending tasks for sidecar conversion.
		txTasks []*txConvert
	)

	for {
		select {
		case t := <-q.tasks:
			if len(txTasks) >= maxPendingConversionTasks {
				t.done <- convertResult{err: errors.New("conversion queue is overloaded")}
				continue
			}
			txTasks = append(txTasks, t)

			// Launch the background conversion thread if it's idle
			if done == nil {
				done, interrupt = make(chan struct{}), new(atomic.Int32)

				tasks := slices.Clone(txTasks)
				txTasks = txTasks[:0]
				go q.run(tasks, done, interrupt)
			}

		case <-done:
			done, interrupt = nil, nil
			if len(txTasks) > 0 {
				done, interrupt = make(chan struct{}), new(atomic.Int32)
				tasks := slices.Clone(txTasks)
				txTasks = txTasks[:0]
				go q.run(tasks, done, interrupt)
			}

		case fn := <-q.startConversion:
			q.queue = append(q.queue, fn)
			if q.taskDone == nil {
				q.runNextTask()
			}

		case <-q.taskDone:
			q.runNextTask()

		case <-q.quit:
			if done != nil {
				log.Print("Waiting for blob proof conversion to exit")
				interrupt.Store(1)
				<-done
			}
			if q.taskDone != nil {
				log.Print("Waiting for blobpool billy conversion to exit")
				<-q.taskDone
			}
			// Signal any tasks that were queued for the next batch but never started
			// so callers blocked in convert() receive an error instead of hanging.
			for _, t := range txTasks {
				t.done <- convertResult{err: errors.New("conversion queue closed")}
			}
			return
		}
	}
}

func (q *conversionQueue) runNextTask() {
	if len(q.queue) == 0 {
		q.taskDone = nil
		return
	}
	fn := q.queue[0]
	q.queue = append(q.queue[:0], q.queue[1:]...)

	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	q.taskDone = done
}
