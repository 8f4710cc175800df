package miner

import (
	"context"
	"errors"
	"log"
	"math/big"
	"sync"
	"time"
)

// Block is a built block.
type Block struct {
	Number uint64
	Hash   [32]byte
	Txs    int
}

// PayloadID is an identifier of the payload build process
type PayloadID [8]byte

// ExecutionPayloadEnvelope is what is handed to the consensus client.
type ExecutionPayloadEnvelope struct {
	Block    *Block
	Fees     *big.Int
	Requests [][]byte
}

// BuildPayloadArgs contains the provided parameters for building payload.
type BuildPayloadArgs struct {
	ID        PayloadID
	Timestamp uint64
}

// newPayloadResult is the result of one building iteration.
type newPayloadResult struct {
	err      error
	block    *Block
	fees     *big.Int
	requests [][]byte
}

// Payload wraps the built payload(block waiting for sealing). According to the
// engine-api specification, EL should build the initial version of the payload
// which has an empty transaction set and then keep update it in order to maximize
// the revenue. Therefore, the empty-block here is always available and full-block
// will be set/updated afterwards.
type Payload struct {
	id            PayloadID
	empty         *Block
	emptyRequests [][]byte

	full     *Block
	requests [][]byte
	fullFees *big.Int
	stop     chan struct{}
	lock     sync.Mutex
}

// newPayload initializes the payload object.
func newPayload(empty *Block, emptyRequests [][]byte, id PayloadID) *Payload {
	return &Payload{
		id:            id,
		empty:         empty,
		emptyRequests: emptyRequests,
		stop:          make(chan struct{}),
	}
}

// update updates the full-block with latest built version. It returns true if
// the update was accepted (i.e. the new block has higher fees than the previous).
func (payload *Payload) update(r *newPayloadResult, elapsed time.Duration) (result bool) {
	payload.lock.Lock()
	defer payload.lock.Unlock()

	select {
	case <-payload.stop:
		return false // reject stale update
	default:
	}
	// Ensure the newly provided full block has a higher transaction fee.
	// In post-merge stage, there is no uncle reward anymore and transaction
	// fee(apart from the mev revenue) is the only indicator for comparison.
	if payload.full == nil || r.fees.Cmp(payload.fullFees) > 0 {
		payload.full = r.block
		payload.fullFees = r.fees
		payload.requests = r.requests
		log.Printf("Updated payload id=%x number=%d txs=%d elapsed=%v", payload.id, r.block.Number, r.block.Txs, elapsed)
		result = true
	}
	return
}

// Resolve returns the latest built payload and also terminates the background
// thread for updating payload. It's safe to be called multiple times.
func (payload *Payload) Resolve() *ExecutionPayloadEnvelope {
	payload.lock.Lock()
	defer payload.lock.Unlock()

	select {
	case <-payload.stop:
	default:
		close(payload.stop)
	}
	if payload.full != nil {
		return &ExecutionPayloadEnvelope{Block: payload.full, Fees: payload.fullFees, Requests: payload.requests}
	}
	return &ExecutionPayloadEnvelope{Block: payload.empty, Fees: big.NewInt(0), Requests: payload.emptyRequests}
}

// FullBlock returns the latest built full block together with its fees.
func (payload *Payload) FullBlock() (*Block, *big.Int) {
	payload.lock.Lock()
	defer payload.lock.Unlock()

	return payload.full, payload.fullFees
}

// Miner is the main object which takes care of submitting new work to consensus
// engine and gathering the sealing result.
type Miner struct {
	recommit time.Duration
	generate func(ctx context.Context, args *BuildPayloadArgs, noTxs bool) *newPayloadResult
}

func (miner *Miner) runBuildIteration(ctx context.Context, start time.Time, payload *Payload, args *BuildPayloadArgs) {
	r := miner.generate(ctx, args, false)
	if r.err == nil {
		payload.update(r, time.Since(start))
	} else {
		log.Printf("Error while generating work id=%x: %v", payload.id, r.err)
	}
}

// buildPayload builds the payload according to the provided parameters.
func (miner *Miner) buildPayload(ctx context.Context, args *BuildPayloadArgs) (*Payload, error) {
	// Build the initial version with no transaction included. It should be fast
	// enough to run. The empty payload can at least make sure there is something
	// to deliver for not missing slot.
	empty := miner.generate(ctx, args, true)
	if empty.err != nil {
		return nil, empty.err
	}
	// Construct a payload object for return.
	payload := newPayload(empty.block, empty.requests, args.ID)

	// Spin up a routine for updating the payload in background. This strategy
	// can maximum the revenue for including transactions with highest fee.
	go func() {
		// Setup the timer for re-building the payload. The initial clock is kept
		// for triggering process immediately.
		timer := time.NewTimer(0)
		defer timer.Stop()

		// Setup the timer for terminating the process if SECONDS_PER_SLOT (12s in
		// the Mainnet configuration) have passed since the point in time identified
		// by the timestamp parameter.
		endTimer := time.NewTimer(time.Second * 12)
		defer endTimer.Stop()

		for {
			select {
			case <-timer.C:
				// When block building takes close to the full recommit interval,
				// the timer fires near-instantly on the next iteration. If the
				// payload was resolved during that build, both timer.C and
				// payload.stop are ready and Go's select picks one at random.
				// Check payload.stop first to avoid an unnecessary generateWork.
				select {
				case <-payload.stop:
					return
				default:
				}
				start := time.Now()
				miner.runBuildIteration(ctx, start, payload, args)
				timer.Reset(max(0, miner.recommit-time.Since(start)))
			case <-payload.stop:
				log.Printf("Stopping work on payload id=%x reason=delivery", payload.id)
				return
			case <-endTimer.C:
				log.Printf("Stopping work on payload id=%x reason=timeout", payload.id)
				return
			}
		}
	}()
	return payload, nil
}

// payloadQueue tracks the latest handful of constructed payloads to be retrieved
// by the beacon chain if block production is requested.
type payloadQueue struct {
	payloads []*Payload
	lock     sync.RWMutex
}

func newPayloadQueue(n int) *payloadQueue { return &payloadQueue{payloads: make([]*Payload, n)} }

// put inserts a new payload into the queue at the given id.
func (q *payloadQueue) put(payload *Payload) {
	q.lock.Lock()
	defer q.lock.Unlock()

	copy(q.payloads[1:], q.payloads)
	q.payloads[0] = payload
}

// get retrieves a previously stored payload item or an error if it does not exist.
func (q *payloadQueue) get(id PayloadID) (*ExecutionPayloadEnvelope, error) {
	q.lock.RLock()
	defer q.lock.RUnlock()

	for _, item := range q.payloads {
		if item == nil {
			break // no more items
		}
		if item.id == id {
			return item.Resolve(), nil
		}
	}
	return nil, errors.New("unknown payload")
}
