package catalyst

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log"
	"sync"
	"time"
)

const (
	VALID            = "VALID"
	INVALID          = "INVALID"
	SYNCING          = "SYNCING"
	INVALIDBLOCKHASH = "INVALID_BLOCK_HASH"

	// invalidBlockHitEviction is the number of times an invalid block can be
	// referenced in forkchoice update or new payload before it is attempted to be
	// reprocessed again.
	invalidBlockHitEviction = 128

	// beaconUpdateConsensusTimeout is the max time allowed for a beacon client
	// to send a consensus update before it's considered offline and the user is
	// warned.
	beaconUpdateConsensusTimeout = 30 * time.Second
)

// PayloadStatusV1 is the answer to a new payload.
type PayloadStatusV1 struct {
	Status          string
	LatestValidHash *Hash
}

// ConsensusAPI is the engine API that the beacon client talks to.
type ConsensusAPI struct {
	chain *BlockChain

	remoteBlocks *headerQueue // Cache of remote payloads received

	invalidBlocksHits map[Hash]int    // Ephemeral cache to track invalid blocks and their hit count
	invalidTipsets    map[Hash]*Block // Ephemeral cache to track invalid tipsets and their bad ancestor
	invalidLock       sync.Mutex      // Protects the invalid maps from concurrent access

	// Geth can appear to be stuck or do strange things if the beacon client is
	// offline or is sending us strange data. Stash some update stats away so
	// that we can warn the user and not have them open issues on our tracker.
	lastNewPayloadUpdate time.Time
	lastNewPayloadLock   sync.Mutex

	forkchoiceLock sync.Mutex // Lock for the forkChoiceUpdated method
}

// NewConsensusAPI creates a new consensus api for the given backend.
func NewConsensusAPI(chain *BlockChain) *ConsensusAPI {
	api := &ConsensusAPI{
		chain:             chain,
		remoteBlocks:      &headerQueue{m: make(map[Hash]*Block)},
		invalidBlocksHits: make(map[Hash]int),
		invalidTipsets:    make(map[Hash]*Block),
	}
	go api.heartbeat()
	return api
}

// ForkchoiceUpdatedV1 switches the head of the chain to the given block.
func (api *ConsensusAPI) ForkchoiceUpdatedV1(head Hash) (PayloadStatusV1, error) {
	api.forkchoiceLock.Lock()
	defer api.forkchoiceLock.Unlock()

	block := api.chain.GetBlockByHash(head)
	if block == nil {
		// If this block was previously invalidated, keep rejecting it here too
		if res := api.checkInvalidAncestor(head, head); res != nil {
			return *res, nil
		}
		return PayloadStatusV1{Status: SYNCING}, nil
	}
	if err := api.chain.SetCanonical(block); err != nil {
		return PayloadStatusV1{Status: INVALID}, err
	}
	return PayloadStatusV1{Status: VALID, LatestValidHash: &head}, nil
}

// NewPayloadV1 creates an Eth1 block, inserts it in the chain, and returns the status of the chain.
func (api *ConsensusAPI) NewPayloadV1(params ExecutableDataV1) (PayloadStatusV1, error) {
	log.Printf("Engine API request received, method ExecutePayload, number %d", params.Number)
	block, err := ExecutableDataToBlock(params)
	if err != nil {
		log.Printf("Invalid NewPayload params: %v", err)
		return PayloadStatusV1{Status: INVALIDBLOCKHASH}, nil
	}
	// Stash away the last update to warn the user if the beacon client goes offline
	api.lastNewPayloadLock.Lock()
	api.lastNewPayloadUpdate = time.Now()
	api.lastNewPayloadLock.Unlock()

	// If we already have the block locally, ignore the entire execution and just
	// return a fake success.
	if block := api.chain.GetBlockByHash(params.BlockHash); block != nil {
		log.Printf("Ignoring already known beacon payload, number %d", params.Number)
		hash := block.Hash
		return PayloadStatusV1{Status: VALID, LatestValidHash: &hash}, nil
	}
	// If this block was rejected previously, keep rejecting it
	if res := api.checkInvalidAncestor(block.Hash, block.Hash); res != nil {
		return *res, nil
	}
	// If the parent is missing, we - in theory - could trigger a sync, but that
	// would also entail a reorg. As such, payload execution will not permit reorgs
	// and thus will not trigger a sync cycle.
	parent := api.chain.GetBlockByHash(block.ParentHash)
	if parent == nil {
		// Stash the block away for a potential forced forkchoice update to it
		// at a later time.
		api.remoteBlocks.put(block.Hash, block)
		return PayloadStatusV1{Status: SYNCING}, nil
	}
	if block.Time <= parent.Time {
		log.Printf("Invalid timestamp, parent %d, block %d", parent.Time, block.Time)
		return PayloadStatusV1{Status: INVALID, LatestValidHash: &parent.Hash}, nil
	}
	if err := api.chain.InsertBlockWithoutSetHead(block); err != nil {
		log.Printf("NewPayloadV1: inserting block failed: %v", err)

		api.invalidLock.Lock()
		api.invalidBlocksHits[block.Hash] = 1
		api.invalidTipsets[block.Hash] = block
		api.invalidLock.Unlock()

		return PayloadStatusV1{Status: INVALID, LatestValidHash: &parent.Hash}, nil
	}
	hash := block.Hash
	return PayloadStatusV1{Status: VALID, LatestValidHash: &hash}, nil
}

// checkInvalidAncestor checks whether the specified chain end links to a known
// bad ancestor. If yes, it constructs the payload failure response to return.
func (api *ConsensusAPI) checkInvalidAncestor(check Hash, head Hash) *PayloadStatusV1 {
	api.invalidLock.Lock()
	defer api.invalidLock.Unlock()

	// If the hash to check is unknown, return valid
	invalid, ok := api.invalidTipsets[check]
	if !ok {
		return nil
	}
	// If the bad hash was hit too many times, evict it and try to reprocess in
	// the hopes that we have a data race that we can exit out of.
	api.invalidBlocksHits[invalid.Hash]++
	if api.invalidBlocksHits[invalid.Hash] >= invalidBlockHitEviction {
		delete(api.invalidBlocksHits, invalid.Hash)
		delete(api.invalidTipsets, check)
		return nil
	}
	return &PayloadStatusV1{Status: INVALID, LatestValidHash: &invalid.ParentHash}
}

// heartbeat loops indefinitely, and checks if there have been beacon client updates
// received in the last while. If not - or if they but strange ones - it warns the
// user that something might be off with their consensus node.
func (api *ConsensusAPI) heartbeat() {
	for {
		time.Sleep(5 * time.Second)
		api.lastNewPayloadLock.Lock()
		last := api.lastNewPayloadUpdate
		api.lastNewPayloadLock.Unlock()
		if time.Since(last) > beaconUpdateConsensusTimeout {
			log.Print("Beacon client online, but no consensus updates received in a while")
		}
	}
}

// ExecutableDataV1 is the payload as it comes from the beacon client.
type ExecutableDataV1 struct {
	ParentHash, BlockHash Hash
	Number, Timestamp     uint64
}

// ExecutableDataToBlock constructs a block from executable data.
func ExecutableDataToBlock(params ExecutableDataV1) (*Block, error) {
	buf := append([]byte(nil), params.ParentHash[:]...)
	buf = binary.BigEndian.AppendUint64(buf, params.Number)
	buf = binary.BigEndian.AppendUint64(buf, params.Timestamp)
	if Hash(sha256.Sum256(buf)) != params.BlockHash {
		return nil, errors.New("blockhash mismatch")
	}
	return &Block{Hash: params.BlockHash, ParentHash: params.ParentHash, Number: params.Number, Time: params.Timestamp}, nil
}

// headerQueue tracks the latest handful of constructed headers to be retrieved
// by the beacon chain and either offer to block production or discarded.
type headerQueue struct {
	lock sync.Mutex
	m    map[Hash]*Block
}

// put inserts a new header into the queue at the given hash.
func (q *headerQueue) put(hash Hash, data *Block) {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.m[hash] = data
}
