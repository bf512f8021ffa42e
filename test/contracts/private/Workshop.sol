// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Made by a workshop; it wears out
contract Tool {
    address public immutable maker;
    uint256 public uses;

    event Used(address indexed by, uint256 uses);

    error ToolBlunt(uint256 uses);

    constructor(uint256 uses_) {
        maker = msg.sender;
        uses = uses_;
    }

    function use(uint256 times) external returns (uint256) {
        if (times > uses) revert ToolBlunt(uses);
        uses -= times;
        emit Used(msg.sender, uses);
        return uses;
    }
}

/// @title Uses most of what Solidity has
contract Workshop {
    struct Order {
        address customer;
        uint64 amount;
        string note;
        uint256[] prices;
    }

    enum Mood {
        Good,
        Bad
    }

    uint256 public total;
    uint128 private _small;
    Mood public mood;
    bytes public blob;
    uint256[] public numbers;
    mapping(uint256 id => Order order) private _orders;
    mapping(address customer => mapping(uint256 id => uint256 amount)) public amounts;
    mapping(bytes32 salt => Tool tool) public tools;
    Tool public lastTool;

    event Ordered(address indexed customer, uint256 indexed id, string note, uint256[] prices);
    event Seen(uint256[9] around);
    event Shouted(bytes data);
    event Sum(uint256 sum) anonymous;

    error TooMuch(address customer, uint256 asked, uint256 max);

    function order(uint256 id, uint64 amount, string calldata note, uint256[] calldata prices) external {
        if (amount > 1_000) revert TooMuch(msg.sender, amount, 1_000);
        require(bytes(_orders[id].note).length == 0, "ordered before");
        _orders[id] = Order(msg.sender, amount, note, prices);
        amounts[msg.sender][id] += amount;
        total += amount;
        _small += uint128(amount);
        emit Ordered(msg.sender, id, note, prices);
    }

    function cancel(uint256 id) external {
        require(_orders[id].customer == msg.sender, "not yours");
        total -= _orders[id].amount;
        delete amounts[msg.sender][id];
        delete _orders[id];
    }

    function orderOf(uint256 id) external view returns (Order memory) {
        return _orders[id];
    }

    function fill(uint256 count, uint256 seed) external {
        for (uint256 i = 0; i < count; ++i) numbers.push(uint256(keccak256(abi.encode(seed, i))) >> (i % 250));
        uint256 sum = 0;
        for (uint256 i = 0; i < numbers.length; ++i) {
            unchecked {
                sum += numbers[i];
            }
        }
        emit Sum(sum);
    }

    function shrink(uint256 count) external {
        for (uint256 i = 0; i < count; ++i) numbers.pop();
    }

    function write(bytes calldata data) external {
        blob = data;
    }

    function cheer(uint8 value) external {
        mood = Mood(value);
    }

    function divide(uint256 a, uint256 b) external pure returns (uint256) {
        return a / b;
    }

    function make(uint256 uses) external returns (Tool) {
        lastTool = new Tool(uses);
        return lastTool;
    }

    function make2(bytes32 salt, uint256 uses) external returns (Tool tool) {
        tool = new Tool{ salt: salt }(uses);
        tools[salt] = tool;
        lastTool = tool;
    }

    function work(bytes32 salt, uint256 times) external returns (uint256) {
        return tools[salt].use(times);
    }

    /// @dev Swallows what goes wrong, and keeps what went right.
    function attempt(bytes32 salt, uint256 times) external returns (bool isDone, bytes memory reason) {
        ++total;
        try tools[salt].use(times) returns (uint256) {
            isDone = true;
        } catch (bytes memory data) {
            reason = data;
        }
    }

    /// @dev Any code, at an address that only depends on it and the salt.
    function forge(bytes memory initCode, bytes32 salt) external returns (address made) {
        assembly ("memory-safe") {
            made := create2(0, add(initCode, 32), mload(initCode), salt)
        }
        require(made != address(0), "not made");
    }

    function poke(address target, bytes calldata data) external returns (bytes memory result) {
        bool isDone;
        (isDone, result) = target.call(data);
        require(isDone, "it broke");
    }

    function usesOf(bytes32 salt) external view returns (uint256) {
        return tools[salt].uses();
    }

    function recover(bytes32 hash, uint8 v, bytes32 r, bytes32 s) external pure returns (address, bytes32) {
        return (ecrecover(hash, v, r, s), sha256(abi.encode(hash)));
    }

    function whoAmI() external view returns (address, address, uint256, uint256) {
        return (msg.sender, tx.origin, address(this).balance, msg.sender.code.length);
    }

    /// @dev Entries of a mapping are far from each other.
    function scatter(uint256 count) external {
        for (uint256 i = 0; i < count; ++i) amounts[msg.sender][i] = i + 1;
    }

    function shout(uint256 size) external {
        emit Shouted(new bytes(size));
    }

    function lookAround() public view returns (uint256[9] memory) {
        return
            [
                block.number,
                block.timestamp,
                block.prevrandao,
                block.chainid,
                uint160(address(block.coinbase)),
                block.basefee,
                block.gaslimit,
                tx.gasprice,
                uint256(blockhash(0))
            ];
    }

    function tellAround() external {
        emit Seen(lookAround());
    }

    /// @dev Takes any amount of data, and does little with it.
    function listen(bytes calldata) external {
        ++total;
    }

    function spin() external pure {
        while (true) {}
    }
}
