// Package bug simulates calls for remote clients.
package bug

import (
	"context"
	"errors"
	"fmt"

	"github.com/atomvet/atomvet/testdata/kernels/geth-09-estimategas-state/bug/node"
)

const minGas = 21000

var errFunds = errors.New("insufficient funds for gas")

// Backend gives access to the chain.
type Backend interface {
	HeaderByTag(ctx context.Context, tag string) (*node.Header, error)
	StateByTag(ctx context.Context, tag string) (*node.State, *node.Header, error)
	GasCap() uint64
}

// Args describes a simulated call.
type Args struct {
	From, To string
	Gas      uint64
}

// Result is the outcome of a simulated call.
type Result struct {
	Failed  bool
	UsedGas uint64
}

// API is the call simulation service.
type API struct {
	backend Backend
}

// Serve returns a service for a new node.
func Serve(gasCap uint64) (*API, *node.Node) {
	n := node.New(gasCap)
	return NewAPI(n), n
}

// NewAPI returns a service that uses b.
func NewAPI(b Backend) *API { return &API{backend: b} }

// GasLimit returns the gas limit of the block that tag stands for.
func (a *API) GasLimit(ctx context.Context, tag string) (uint64, error) {
	header, err := a.backend.HeaderByTag(ctx, tag)
	if err != nil {
		return 0, err
	}
	return header.GasLimit, nil
}

// Call runs args on the block that tag stands for.
func (a *API) Call(ctx context.Context, args Args, tag string) (*Result, error) {
	state, header, err := a.backend.StateByTag(ctx, tag)
	if err != nil {
		return nil, err
	}
	fee := args.Gas * header.BaseFee
	if fee > state.Balance(args.From) {
		return nil, errFunds
	}
	state.Debit(args.From, fee)
	need := minGas + state.Work(args.To)
	if need > args.Gas {
		return &Result{Failed: true, UsedGas: args.Gas}, nil
	}
	return &Result{UsedGas: need}, nil
}

// EstimateGas returns the lowest gas limit with which args would succeed on
// the block that tag stands for.
func (a *API) EstimateGas(ctx context.Context, args Args, tag string) (uint64, error) {
	lo, hi := uint64(minGas-1), args.Gas
	if hi < minGas {
		header, err := a.backend.HeaderByTag(ctx, tag)
		if err != nil {
			return 0, err
		}
		hi = header.GasLimit
	}
	hi = min(hi, a.backend.GasCap())
	limit := hi

	fails := func(gas uint64) (bool, error) {
		args.Gas = gas
		res, err := a.Call(ctx, args, tag)
		if err != nil {
			return true, err
		}
		return res.Failed, nil
	}
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		failed, err := fails(mid)
		if err != nil {
			return 0, err
		}
		if failed {
			lo = mid
		} else {
			hi = mid
		}
	}
	if hi == limit {
		failed, err := fails(hi)
		if err != nil {
			return 0, err
		}
		if failed {
			return 0, fmt.Errorf("gas required exceeds allowance (%d)", limit)
		}
	}
	return hi, nil
}
