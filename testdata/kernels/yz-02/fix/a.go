package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrUnknownMember = errors.New("loyalty: unknown member")
	ErrShort         = errors.New("loyalty: not enough points")
)

type Program struct {
	balances sync.Map // member id -> int64 points
	rate     int64    // points for a hundred cents
	bonus    atomic.Bool
	members  atomic.Int64
}

func NewProgram(rate int64) *Program {
	return &Program{rate: rate}
}

func (p *Program) Enroll(member string, welcome int64) bool {
	if _, loaded := p.balances.LoadOrStore(member, welcome); loaded {
		return false
	}
	p.members.Add(1)
	return true
}

func (p *Program) SetBonusWeek(on bool) { p.bonus.Store(on) }

func (p *Program) Members() int64 { return p.members.Load() }

func (p *Program) Balance(member string) (int64, bool) {
	v, ok := p.balances.Load(member)
	if !ok {
		return 0, false
	}
	return v.(int64), true
}

func (p *Program) pointsFor(cents int64) int64 {
	pts := cents / 100 * p.rate
	if p.bonus.Load() {
		pts *= 2
	}
	return pts
}

func (p *Program) Earn(member string, cents int64) (int64, error) {
	pts := p.pointsFor(cents)
	for {
		bal, ok := p.Balance(member)
		if !ok {
			return 0, ErrUnknownMember
		}
		if p.balances.CompareAndSwap(member, bal, bal+pts) {
			return bal + pts, nil
		}
	}
}

func (p *Program) Redeem(member string, pts int64) (int64, error) {
	for {
		bal, ok := p.Balance(member)
		if !ok {
			return 0, ErrUnknownMember
		}
		if bal < pts {
			return bal, ErrShort
		}
		if p.balances.CompareAndSwap(member, bal, bal-pts) {
			return bal - pts, nil
		}
	}
}

func (p *Program) Outstanding() int64 {
	var sum int64
	p.balances.Range(func(_, v any) bool {
		sum += v.(int64)
		return true
	})
	return sum
}
