package gasprice

import (
	"context"
	"math/big"
	"slices"
	"sync"
)

// Hash identifies a block.
type Hash [32]byte

// Header is the header of a block.
type Header struct {
	Number uint64
	Hash   Hash
}

// OracleBackend gives access to the chain.
type OracleBackend interface {
	HeaderByNumber(ctx context.Context, latest bool) (*Header, error)
	Tips(ctx context.Context, number uint64) ([]*big.Int, error)
}

// Oracle recommends gas prices based on the content of recent
// blocks. Suitable for both light and full clients.
type Oracle struct {
	backend   OracleBackend
	lastHead  Hash
	lastPrice *big.Int
	maxPrice  *big.Int
	cacheLock sync.RWMutex
	fetchLock sync.Mutex

	checkBlocks, percentile int
}

// NewOracle returns a new gasprice oracle.
func NewOracle(backend OracleBackend, blocks, percentile int, startPrice, maxPrice *big.Int) *Oracle {
	return &Oracle{backend: backend, lastPrice: startPrice, maxPrice: maxPrice, checkBlocks: blocks, percentile: percentile}
}

// SuggestTipCap returns a tip cap so that newly created transaction can have a
// very high chance to be included in the following blocks.
func (oracle *Oracle) SuggestTipCap(ctx context.Context) (*big.Int, error) {
	head, err := oracle.backend.HeaderByNumber(ctx, true)
	if err != nil {
		return nil, err
	}

	// If the latest gasprice is still available, return it.
	oracle.cacheLock.RLock()
	lastHead, lastPrice := oracle.lastHead, oracle.lastPrice
	oracle.cacheLock.RUnlock()
	if head.Hash == lastHead {
		return new(big.Int).Set(lastPrice), nil
	}
	oracle.fetchLock.Lock()
	defer oracle.fetchLock.Unlock()

	// Try checking the cache again, maybe the last fetch fetched what we need
	oracle.cacheLock.RLock()
	lastHead, lastPrice = oracle.lastHead, oracle.lastPrice
	oracle.cacheLock.RUnlock()
	if head.Hash == lastHead {
		return new(big.Int).Set(lastPrice), nil
	}
	var (
		number  = head.Number
		result  = make(chan results, oracle.checkBlocks)
		exp     int
		results []*big.Int
	)
	for exp < oracle.checkBlocks && number > 0 {
		go oracle.getBlockValues(ctx, number, result)
		exp++
		number--
	}
	for ; exp > 0; exp-- {
		res := <-result
		if res.err != nil {
			return new(big.Int).Set(lastPrice), res.err
		}
		// Nothing returned. In these cases, use the latest calculated price for sampling.
		if len(res.values) == 0 {
			res.values = []*big.Int{lastPrice}
		}
		results = append(results, res.values...)
	}
	price := lastPrice
	if len(results) > 0 {
		slices.SortFunc(results, func(a, b *big.Int) int { return a.Cmp(b) })
		price = results[(len(results)-1)*oracle.percentile/100]
	}
	if price.Cmp(oracle.maxPrice) > 0 {
		price = new(big.Int).Set(oracle.maxPrice)
	}
	oracle.cacheLock.Lock()
	oracle.lastHead = head.Hash
	oracle.lastPrice = price
	oracle.cacheLock.Unlock()

	return new(big.Int).Set(price), nil
}

type results struct {
	values []*big.Int
	err    error
}

func (oracle *Oracle) getBlockValues(ctx context.Context, number uint64, result chan results) {
	tips, err := oracle.backend.Tips(ctx, number)
	result <- results{tips, err}
}
