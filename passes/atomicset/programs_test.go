package atomicset_test

var programs []struct{name string}
