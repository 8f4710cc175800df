package locks

import "context"

// A Vault is locked by a channel, which helpers take and give back.
type Vault struct {
	sem   chan struct{}
	key   string
	until int
	make  func() (string, int)
}

func NewVault(make_ func() (string, int)) *Vault {
	return &Vault{sem: make(chan struct{}, 1), make: make_}
}

func (v *Vault) lock(ctx context.Context) error {
	select {
	case v.sem <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (v *Vault) unlock() { <-v.sem }

// fresh is called with the lock held.
func (v *Vault) fresh(now int) bool { return v.key != "" && now < v.until }

func (v *Vault) known(ctx context.Context, now int) (string, bool, error) {
	if err := v.lock(ctx); err != nil {
		return "", false, err
	}
	defer v.unlock()
	return v.key, v.fresh(now), nil
}

func (v *Vault) renew(ctx context.Context) (string, error) {
	if err := v.lock(ctx); err != nil {
		return "", err
	}
	defer v.unlock()
	v.key, v.until = v.make()
	return v.key, nil
}

func (v *Vault) Key(ctx context.Context, now int) (string, error) {
	key, ok, err := v.known(ctx, now)
	if err != nil || ok {
		return key, err
	}
	return v.renew(ctx) // want `check-then-act: v.(key|until) was checked at line \d+, but v.sem was released when known returned`
}

// KeyAtOnce asks again in the section of the renewal.
func (v *Vault) KeyAtOnce(ctx context.Context, now int) (string, error) {
	key, ok, err := v.known(ctx, now)
	if err != nil || ok {
		return key, err
	}
	if err := v.lock(ctx); err != nil {
		return "", err
	}
	defer v.unlock()
	if !v.fresh(now) {
		v.key, v.until = v.make()
	}
	return v.key, nil
}
