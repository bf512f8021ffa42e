// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

// Made by scripts/prove.ts from contracts/libraries/StateRegisters.sol.
import { StateRegistersModel } from "./StateRegistersModel.sol";

/// @title Any registers at all, so that a lemma holds whatever came before
abstract contract Any is StateRegistersModel {
    function set(uint256 name, bytes32 holder) external {
        self._registers[name].holder = holder;
    }
}

/// @title The id zero is never held, although an empty register reads as zero
contract ZeroIsNeverHeld is Any {
    function lemma() external view {
        assert(!holds(0));
    }
}

/// @title Only what is unspent can be spent, and then it is spent
contract OnlyUnspentIsSpent is Any {
    function lemma(bytes32 input, bytes32 output) external {
        require(output != input);
        bool isUnspent = holds(input);
        replace(input, output);
        assert(isUnspent);
        assert(!holds(input));
    }
}

/// @title What takes the place of a spent state is unspent
contract TheSuccessorIsUnspent is Any {
    function lemma(bytes32 input, bytes32 output) external {
        require(output != 0 && registerOf(output) == registerOf(input));
        replace(input, output);
        assert(holds(output));
    }
}

/// @title To spend one state spends no other
contract SpendingSpendsOneState is Any {
    function lemma(bytes32 input, bytes32 output, bytes32 other) external {
        require(other != input);
        bool isUnspent = holds(other);
        replace(input, output);
        assert(!isUnspent || holds(other));
    }
}

/// @title To create a state spends none
contract CreatingSpendsNothing is Any {
    function lemma(bytes32 output, bytes32 other) external {
        bool isUnspent = holds(other);
        open(output);
        assert(!isUnspent || holds(other));
        assert(output == 0 || holds(output));
    }
}

/// @title What is spent stays spent: spending makes nothing unspent but its output
/// @dev That no output ever has the id of a spent state is the argument in StateRegisters.sol. It is about hashes, and
/// so beyond a solver.
contract SpentIsAbsorbingWhenSpending is Any {
    function lemma(bytes32 input, bytes32 output, bytes32 spent) external {
        require(!holds(spent) && output != spent);
        replace(input, output);
        assert(!holds(spent));
    }
}

/// @title What is spent stays spent: creating makes nothing unspent but its output
contract SpentIsAbsorbingWhenCreating is Any {
    function lemma(bytes32 output, bytes32 spent) external {
        require(!holds(spent) && output != spent);
        open(output);
        assert(!holds(spent));
    }
}

/// @title A register that is in use changes only when its holder is spent
contract ARegisterChangesOnlyFromItsHolder is Any {
    function lemma(bytes32 input, bytes32 output, uint256 name) external {
        bytes32 before = self._registers[name].holder;
        if (input != 0) replace(input, output);
        else open(output);
        assert(before == self._registers[name].holder || before == input);
    }
}

/// @title A successor lives in the register of its predecessor
contract ASuccessorKeepsTheRegister is Any {
    function lemma(bytes32 input, bytes32 hash) external pure {
        assert(registerOf(inherit(input, hash)) == registerOf(input));
    }
}

/// @title False: shows that states can be unspent at all, so that the lemmas are not about nothing
contract FalseNothingIsEverUnspent is Any {
    function lemma(bytes32 any) external view {
        assert(!holds(any));
    }
}

/// @title False: shows that the solver does not take a spent state for an unspent one
contract FalseSpendingSpendsNothing is Any {
    function lemma(bytes32 input, bytes32 output) external {
        replace(input, output);
        assert(holds(input));
    }
}
